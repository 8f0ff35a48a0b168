// Decodes images one at a time; of those that come meanwhile only the newest is kept.

export type Decode = (blob: Blob) => Promise<ImageBitmap>;

export class NewestImage {
  /** Images that a newer one has overtaken. */
  overtaken = 0;
  private waiting: { blob: Blob; stamp: number } | null = null;
  private busy = false;
  private era = 0;

  constructor(
    private readonly shown: (bitmap: ImageBitmap, stamp: number) => void,
    private readonly decode: Decode = (blob) => createImageBitmap(blob),
  ) {}

  offer(blob: Blob, stamp: number): void {
    if (this.waiting) this.overtaken++;
    this.waiting = { blob, stamp };
    if (!this.busy) void this.work();
  }

  /** Forget what waits, and drop what is being decoded. */
  clear(): void {
    this.waiting = null;
    this.era++;
  }

  private async work(): Promise<void> {
    this.busy = true;
    while (this.waiting) {
      const { blob, stamp } = this.waiting;
      this.waiting = null;
      const era = this.era;
      const bitmap = await this.decode(blob).catch(() => null);
      if (!bitmap) continue;
      if (era === this.era) this.shown(bitmap, stamp);
      else bitmap.close();
    }
    this.busy = false;
  }
}
