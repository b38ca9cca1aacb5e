import { CostLimitExceeded } from '../cost/work.ts'
import type { Value } from './value.ts'

/** The variables of one evaluation, and what it may still cost. */
export interface Frame {
  readonly slots: Value[]
  cost: number
  readonly limit: number
}

export type Run = (frame: Frame) => Value

export function charge(frame: Frame, cost: number): void {
  frame.cost += cost
  if (frame.cost > frame.limit) {
    throw new CostLimitExceeded('operation cancelled: actual cost limit exceeded')
  }
}
