"""What leaves Latchwork as code: equations, and whole runs with contacts."""
