import { useComputed } from '@preact/signals'
import { counted } from '@strata/insight'
import type { View } from '../../shell/app-context.ts'
import { useApp } from '../../shell/app-context.ts'
import { FilterField } from '../../shell/filter-field.tsx'
import { AgreementGrid } from './agreement-grid.tsx'
import { RecordDrawer } from './record-drawer.tsx'
import { useMatrix } from './use-matrix.ts'

/** Do the servers agree, and if not, why? */
const Agreement = () => {
  const { route } = useApp()
  const matrix = useMatrix()
  const isEmpty = useComputed(() => matrix.value.attention.length + matrix.value.agreed.length === 0)
  return (
    <section class="view" aria-label="Agreement">
      <FilterField />
      {isEmpty.value ? (
        <Nothing />
      ) : (
        <div class="grid-frame">
          <p class="grid-hint" aria-hidden="true">
            {counted(matrix.value.servers.length, 'server')}: scroll →
          </p>
          <AgreementGrid matrix={matrix} />
        </div>
      )}
      {route.value.item !== undefined && <RecordDrawer resource={route.value.item} />}
    </section>
  )
}

const Nothing = () => {
  const { filter } = useApp()
  return (
    <p class="notice">
      {filter.value === ''
        ? 'There are no agreement records.'
        : `No resource has "${filter.value}" in its name.`}
    </p>
  )
}

export const agreementView: View = {
  ...{ name: 'agreement', title: 'Agreement', letter: 'a' },
  Panel: Agreement,
}
