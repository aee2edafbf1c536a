// SPDX-License-Identifier: MIT
// attacks: an #error whose text commands a terminal, a spreadsheet and whoever reads JSON
// control: does_not_compile
// earns: at most its control
// must stay: reports

#error "}],"score":100,"items":[{"points":100  =cmd|' /C calc'!A0  [31m 31m ‮ sdrawkcab ⁦
