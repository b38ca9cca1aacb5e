import type { StorageAgreement } from '@strata/api'
import { formatCount } from '@strata/insight'
import { LayerBar } from '../../layers/layer-bar.tsx'
import { LayerPlot } from '../../layers/layer-plot.tsx'
import { ProofBadge } from '../../layers/proof-badge.tsx'
import { useApp } from '../../shell/app-context.ts'
import { Link } from '../../shell/link.tsx'
import { ResourceName } from '../../shell/resource-name.tsx'
import { useStorageRow } from './use-storage-row.ts'

/** One resource: its layers now, the proof, and its layers over time. */
export const StorageLine = ({ record }: { readonly record: StorageAgreement }) => {
  const { census } = useApp()
  const { value: row } = useStorageRow(record)
  const { samples } = census.of(row.resource).value
  const old = row.layers.filter(({ isOld }) => isOld).map(({ version }) => version)
  return (
    <li class="storage-line">
      <Link to={{ view: 'storage', item: row.resource }} class="storage-name">
        <ResourceName name={row.resource} />
      </Link>
      <span class="num storage-total">{row.total === undefined ? '' : formatCount(row.total)}</span>
      <LayerBar row={row} />
      <ProofBadge proof={row.proof} />
      <LayerPlot resource={row.resource} samples={samples} old={old} />
    </li>
  )
}
