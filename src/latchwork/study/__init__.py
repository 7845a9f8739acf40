"""Studies: one model at many points of its parameters, resumable, on this machine or on a cluster."""
