import type { Entry, Guard } from './store.ts'

/** Whether a guard holds for the entry `current`. Backends that compare by themselves (etcd, SQLite) must agree with it. */
export function guardHolds({ revision, value }: Guard, current: Entry | undefined): boolean {
  if (value !== undefined) return current !== undefined && Buffer.compare(value, current.value) === 0
  return (current?.revision ?? 'absent') === revision
}
