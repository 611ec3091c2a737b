/** The hues of tile.css on a light ground, each with its ink, for what has no style sheet: pictures and mails. */
export const HUES = [
  ['#fde8e1', '#9a3412'],
  ['#fdf0d0', '#855a00'],
  ['#eaf3d3', '#4d6a12'],
  ['#d9f2e5', '#0b6b4d'],
  ['#d8f0f4', '#0e6478'],
  ['#e0e8fd', '#2f4fb3'],
  ['#ece4fc', '#5f3dab'],
  ['#fbe2ee', '#9b2c65'],
] as const

/** The colours of what has none: paper and ink. */
export const NO_HUE = ['#efe6d2', '#1c1b18'] as const
