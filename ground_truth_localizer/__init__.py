"""Where a cylindrical target really is: position from a laser, orientation from a camera."""
