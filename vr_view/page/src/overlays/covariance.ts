// The ellipse of a position's covariance in the plane.

export interface Ellipse {
  /** Half axes (m) at one standard deviation, the longer first. */
  long: number;
  short: number;
  /** Of the longer axis, from x (rad). */
  yaw: number;
}

/** Of the 6 x 6 covariance of a pose, rows x y z ...; null where x and y are not known. */
export function ellipseOf(covariance: readonly (number | null)[]): Ellipse | null {
  const [xx, xy, yy] = [covariance[0], covariance[1], covariance[7]];
  if (typeof xx !== "number" || typeof yy !== "number" || xx < 0 || yy < 0) return null;
  const cross = xy ?? 0;
  const middle = (xx + yy) / 2;
  const spread = Math.hypot((xx - yy) / 2, cross);
  return {
    long: Math.sqrt(middle + spread),
    short: Math.sqrt(Math.max(middle - spread, 0)),
    yaw: spread > 0 ? Math.atan2(2 * cross, xx - yy) / 2 : 0,
  };
}
