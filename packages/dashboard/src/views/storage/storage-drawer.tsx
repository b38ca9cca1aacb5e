import type { StorageAgreement, StorageCensusStatus } from '@strata/api'
import { versionNameOf } from '@strata/api'
import { formatCount } from '@strata/insight'
import { LayerBar } from '../../layers/layer-bar.tsx'
import { LayerMark } from '../../layers/layer-mark.tsx'
import { LayerPlot } from '../../layers/layer-plot.tsx'
import { ProofBadge } from '../../layers/proof-badge.tsx'
import { useApp } from '../../shell/app-context.ts'
import { Copyable } from '../../shell/copyable.tsx'
import { Drawer } from '../../shell/drawer.tsx'
import { ResourceName } from '../../shell/resource-name.tsx'
import { useStorageRow } from './use-storage-row.ts'

const listed = 100

/** The layers of one resource, and which objects are not in the newest one. */
export const StorageDrawer = ({ record }: { readonly record: StorageAgreement }) => {
  const { moment } = useApp()
  const { row, census } = useStorageRow(record, { maxObjects: listed }).value
  const { status, problem, samples } = census
  const isPast = moment.value !== undefined
  const old = row.layers.filter(({ isOld }) => isOld).map(({ version }) => version)
  return (
    <Drawer title={<ResourceName name={row.resource} />} label={`Storage of ${row.resource}`}>
      <p>
        <ProofBadge proof={row.proof} /> {row.proof.because}.
      </p>
      {problem !== undefined && <p class="problem">Not counted: {problem}.</p>}
      <LayerBar row={row} />
      {samples.length > 1 && (
        <section>
          <h3>Since the page was opened</h3>
          <LayerPlot resource={row.resource} samples={samples} old={old} />
        </section>
      )}
      {status && <StaleObjects resource={row.resource} census={status} />}
      {isPast ? (
        <p class="muted">This is what the record said then. Objects are counted only now.</p>
      ) : (
        <>
          {row.needsAttention && <Copyable command={`strata migrate ${row.resource}`} />}
          <Copyable command={`strata census ${row.resource}`} />
        </>
      )}
    </Drawer>
  )
}

const StaleObjects = ({
  resource,
  census: { objects = [], stale = 0, unreadable },
}: {
  readonly resource: string
  readonly census: StorageCensusStatus
}) => {
  const more = stale + unreadable - objects.length
  if (stale + unreadable === 0) return <p class="muted">No object is stored in an old version or key.</p>
  return (
    <section>
      <h3>
        {formatCount(stale + unreadable)} in an old version or key{unreadable > 0 && ', or unreadable'}
      </h3>
      <ul class="stale">
        {objects.map(({ namespace, name, encodingVersion, key, reason, message }) => (
          <li key={`${namespace}/${name}`}>
            <span class="mono">{namespace === undefined ? name : `${namespace}/${name}`}</span>
            {encodingVersion === undefined ? (
              <span class="problem">{[reason, message].filter(Boolean).join(': ')}</span>
            ) : (
              <span>
                <LayerMark resource={resource} version={versionNameOf(encodingVersion)} isOld />
                {key === undefined ? '' : ` under ${key}`}
              </span>
            )}
          </li>
        ))}
      </ul>
      {more > 0 && objects.length > 0 && <p class="muted">and {formatCount(more)} more</p>}
    </section>
  )
}
