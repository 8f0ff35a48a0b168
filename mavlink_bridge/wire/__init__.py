"""Bytes to frames and back: checksums, resynchronisation, signatures."""
