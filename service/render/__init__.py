"""An outcome in words, for people and for the places where they play. Takes bodies that sight made, and no others."""
