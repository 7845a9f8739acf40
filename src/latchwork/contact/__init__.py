"""Contact: shapes, gaps, tracking of closest points, friction, impact laws, complementarity."""
