export type WorkloadName = 'create' | 'get' | 'update' | 'list' | 'list-all' | 'watch'

/** Workloads that compare custom resources and not servers: see the folder `custom`. */
export type CustomWorkloadName = 'custom-create' | 'definitions' | 'migrate'

export interface Workload extends RaceWorkload {
  readonly name: WorkloadName
}

export interface RaceWorkload {
  readonly name: string
  readonly title: string
  /** In one round. */
  readonly count: number
  readonly atOnce: number
  /** How many of what is counted one piece of work brings. */
  readonly yields: number
}

/** As in the table of aims that docs/performance.md keeps. */
export const connections = 32
export const pageSize = 500
export const watchers = 200

/** `objects`: how many stand in the namespace that is read. Counts make a round last some tenths of a second. */
export function workloads(objects: number): readonly Workload[] {
  return [
    { name: 'create', title: 'create', count: 600, atOnce: connections, yields: 1 },
    { name: 'get', title: 'get one', count: 2000, atOnce: connections, yields: 1 },
    { name: 'update', title: 'update', count: 600, atOnce: connections, yields: 1 },
    { name: 'list', title: `list, pages of ${pageSize}`, count: 96, atOnce: connections, yields: 1 },
    { name: 'list-all', title: `list all ${objects}`, count: 2, atOnce: 1, yields: 1 },
    {
      name: 'watch',
      title: `events to ${watchers} watchers`,
      count: 48,
      atOnce: 16,
      yields: watchers,
    },
  ]
}
