// Numbers as they are shown.

/** With so many digits after the point; what rounds to nothing has no sign. */
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}
