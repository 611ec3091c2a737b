// Runs on the pages of connected instances alone: see worker/launchers.ts.
export {}
