-- Tells whether numbers are written as whole ones of 64 bits: times and fences are.
return string.format('%016d', 9007199254740991)
