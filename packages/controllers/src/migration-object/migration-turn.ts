/** What decides whose turn it is, of several migrations of one resource. */
export interface Turn {
  readonly isBegun: boolean
  /** As somebody has written it on the migration (`priorityOf`). */
  readonly priority: number
  readonly createdAt: string
  readonly name: string
  readonly group: string
}

/** What was begun, then by priority, then the oldest, then by name: the same for everybody who looks, also for a command. */
export function inTurn(a: Turn, b: Turn): number {
  return (
    Number(b.isBegun) - Number(a.isBegun) ||
    b.priority - a.priority ||
    compareText(a.createdAt, b.createdAt) ||
    compareText(a.name, b.name) ||
    compareText(a.group, b.group)
  )
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
