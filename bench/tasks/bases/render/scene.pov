camera { location <0, 2, -5> look_at <0, 1, 0> }
light_source { <4, 6, -4> color rgb 1 }
sphere { <0, 1, 0>, 1 pigment { color rgb <1, 0.4, 0.1> } }
