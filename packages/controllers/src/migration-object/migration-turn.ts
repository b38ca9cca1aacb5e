import type { MigrationView } from '@strata/insight'

type Turn = Pick<MigrationView, 'saysRunning' | 'progress' | 'priority' | 'createdAt' | 'name' | 'group'>

/**
 * Orders migrations: those that have begun, then by priority, then the oldest, then by name. The runner and `strata migrate` use
 * the same order.
 */
export function inTurn(a: Turn, b: Turn): number {
  return (
    Number(isBegun(b)) - Number(isBegun(a)) ||
    b.priority - a.priority ||
    compareText(a.createdAt, b.createdAt) ||
    compareText(a.name, b.name) ||
    compareText(a.group, b.group)
  )
}

const isBegun = ({ saysRunning, progress }: Turn): boolean => saysRunning || progress.target !== undefined

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
