// A line of text that faces the viewer.
import { CanvasTexture, Sprite, SpriteMaterial } from "three";

const PIXELS = 48; // height of a letter in the texture

/** `height` in metres; the sprite's `userData.text` is what it says. */
export function textSprite(text: string, height: number, colour: string): Sprite {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d")!;
  const font = `600 ${PIXELS}px system-ui, sans-serif`;
  context.font = font;
  canvas.width = Math.ceil(context.measureText(text).width) + PIXELS;
  canvas.height = Math.ceil(1.4 * PIXELS);
  context.font = font;
  context.textBaseline = "middle";
  context.fillStyle = "rgba(12, 17, 23, 0.55)";
  context.beginPath();
  context.roundRect(0, 0, canvas.width, canvas.height, canvas.height / 3);
  context.fill();
  context.fillStyle = colour;
  context.fillText(text, PIXELS / 2, canvas.height / 2);
  const map = new CanvasTexture(canvas);
  const sprite = new Sprite(new SpriteMaterial({ map, depthWrite: false }));
  sprite.scale.set((height * canvas.width) / canvas.height, height, 1);
  return sprite;
}
