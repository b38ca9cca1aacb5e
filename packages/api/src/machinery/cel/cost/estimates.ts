/** The least and the most that something can be: a size, or a cost. */
export interface Estimate {
  readonly min: number
  readonly max: number
}

/** Estimates saturate here. */
const MOST = 2 ** 64

export const fixed = (value: number): Estimate => ({ min: value, max: value })
export const ZERO = fixed(0)
export const ONE = fixed(1)
export const UNKNOWN: Estimate = { min: 0, max: MOST }

const capped = (value: number): number => Math.min(value, MOST)

export const plus = (...all: readonly Estimate[]): Estimate => ({
  min: capped(all.reduce((sum, { min }) => sum + min, 0)),
  max: capped(all.reduce((sum, { max }) => sum + max, 0)),
})
export const times = (a: Estimate, b: Estimate): Estimate => ({
  min: capped(a.min * b.min),
  max: capped(a.max * b.max),
})
export const scale = (estimate: Estimate, factor: number): Estimate => ({
  min: capped(Math.ceil(estimate.min * factor)),
  max: capped(Math.ceil(estimate.max * factor)),
})
export const union = (a: Estimate, b: Estimate): Estimate => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
})
