import { computed, type ReadonlySignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { decideMatrix, type Matrix } from '../../model/agreement/agreement-matrix.ts'
import { isEqual, keepEqual } from '../../model/keep-equal.ts'
import { useApp } from '../../shell/app-context.ts'

/** The matrix; what has not changed in it is the same object as before, so that only changed rows are drawn. */
export function useMatrix(): ReadonlySignal<Matrix> {
  const { status, places, filter } = useApp()
  return useMemo(() => {
    let last: Matrix = { servers: [], attention: [], agreed: [] }
    return computed(() => {
      const next = decideMatrix(
        { ...status.value, servers: places.value.map(({ server }) => server) },
        filter.value,
      )
      const servers = isEqual(last.servers, next.servers) ? last.servers : next.servers
      const attention = keepEqual(last.attention, next.attention, ({ resource }) => resource)
      const agreed = keepEqual(last.agreed, next.agreed, ({ resource }) => resource)
      const isSame = servers === last.servers && attention === last.attention && agreed === last.agreed
      if (!isSame) last = { servers, attention, agreed }
      return last
    })
  }, [status, places, filter])
}
