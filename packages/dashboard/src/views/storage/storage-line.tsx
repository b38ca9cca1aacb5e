import type { StorageAgreement } from '@strata/api'
import { formatCount } from '@strata/insight'
import { LayerBar } from '../../layers/layer-bar.tsx'
import { LayerPlot } from '../../layers/layer-plot.tsx'
import { ProofBadge } from '../../layers/proof-badge.tsx'
import { Link } from '../../shell/link.tsx'
import { ResourceName } from '../../shell/resource-name.tsx'
import { useStorageRow } from './use-storage-row.ts'

interface Props {
  readonly record: StorageAgreement
  readonly isInSight: boolean
}

/** One resource: its layers now, the proof, and its layers over time. */
export const StorageLine = ({ record, isInSight }: Props) => {
  const {
    row,
    census: { samples },
  } = useStorageRow(record, { isInSight }).value
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
