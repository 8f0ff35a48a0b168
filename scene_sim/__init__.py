"""The embedded simulator: reads SDF and URDF, runs them in MuJoCo, publishes the sensors."""
