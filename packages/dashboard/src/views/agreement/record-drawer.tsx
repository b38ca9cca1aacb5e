import { useComputed } from '@preact/signals'
import { LayerMark } from '../../layers/layer-mark.tsx'
import { decideMatrix } from '../../model/agreement/agreement-matrix.ts'
import { describeRecord, type RecordDetails } from '../../model/agreement/record-details.ts'
import { Age } from '../../shell/age.tsx'
import { useApp } from '../../shell/app-context.ts'
import { Copyable } from '../../shell/copyable.tsx'
import { Drawer } from '../../shell/drawer.tsx'
import { ResourceName } from '../../shell/resource-name.tsx'
import { RecordHistory } from './record-history.tsx'

/** The agreement record of one resource: entries, epoch, fence, conditions. */
export const RecordDrawer = ({ resource }: { readonly resource: string }) => {
  const { records, status } = useApp()
  const details = useComputed(() => {
    const record = records.value.get(resource)
    return record && describeRecord(record, status.value.servers)
  })
  const row = useComputed(() => {
    const { attention, agreed } = decideMatrix(status.value, resource)
    return [...attention, ...agreed].find((each) => each.resource === resource)
  })
  const { value: record } = details
  return (
    <Drawer title={<ResourceName name={resource} />} label={`Record of ${resource}`}>
      {record === undefined ? (
        <p class="muted">There is no agreement record of this resource.</p>
      ) : (
        <>
          <Why texts={row.value?.why ?? []} version={row.value?.version} since={row.value?.since} />
          <Entries record={record} />
          <Fence record={record} />
          <Persisted record={record} />
          <Conditions record={record} />
          <RecordHistory record={record} />
          <Copyable command={`kubectl get storageagreements.strata.dev ${record.name} -o yaml`} />
        </>
      )}
    </Drawer>
  )
}

const Why = ({
  texts,
  version,
  since,
}: {
  readonly texts: readonly string[]
  readonly version: string | undefined
  readonly since: string | undefined
}) =>
  texts.length === 0 ? (
    <p>
      All servers agree on <strong>{version}</strong>, for <Age since={since} />.
    </p>
  ) : (
    <ul class="why">
      {texts.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  )

const Entries = ({ record: { resource, entries } }: { readonly record: RecordDetails }) => (
  <section>
    <h3>Entries</h3>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
    <section class="scrolls" tabIndex={0} aria-label="Entries">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">server</th>
            <th scope="col">writes</th>
            <th scope="col">reads</th>
            <th scope="col">serves</th>
            <th scope="col">guarantee</th>
            <th scope="col">key</th>
            <th scope="col">encoder</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((each) => (
            <tr key={each.process}>
              <th scope="row">{each.server}</th>
              <td>
                <LayerMark resource={resource} version={each.writes} isOld={each.isOld} />
              </td>
              <td>{each.reads.join(', ')}</td>
              <td>{each.serves.join(', ') || '–'}</td>
              <td>{each.guarantee}</td>
              <td>{each.key ?? 'none'}</td>
              <td class="mono">{each.encoder}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  </section>
)

const Fence = ({
  record: { epoch, epochRevision, revision, fence, gap },
}: {
  readonly record: RecordDetails
}) => (
  <section>
    <h3>Fence</h3>
    <dl class="facts">
      <dt>epoch</dt>
      <dd class="num">
        {epoch}
        {epochRevision !== undefined && <span class="muted"> since revision {epochRevision}</span>}
      </dd>
      <dt>record</dt>
      <dd class="num">revision {revision}: each write commits only if the record is still at it</dd>
      <dt>fenced</dt>
      <dd>
        {fence.isClosed ? 'yes' : 'no'}
        {fence.because !== '' && <span class="muted"> {fence.because}</span>}
      </dd>
      {gap !== undefined && (
        <>
          <dt>recording gap</dt>
          <dd>{gap}</dd>
        </>
      )}
    </dl>
  </section>
)

const Persisted = ({ record: { resource, persisted } }: { readonly record: RecordDetails }) => (
  <section>
    <h3>May be stored</h3>
    <ul class="inline-list">
      {persisted.map(({ version, key, epoch, isOld }) => (
        <li key={`${version} ${key}`}>
          <LayerMark resource={resource} version={version} isOld={isOld} />
          <span class="muted">
            {key === undefined ? '' : ` under ${key}`} up to epoch {epoch}
          </span>
        </li>
      ))}
    </ul>
  </section>
)

const Conditions = ({ record: { conditions } }: { readonly record: RecordDetails }) => (
  <section>
    <h3>Conditions</h3>
    <ul class="conditions">
      {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
        <li key={type}>
          <span class="condition-type">
            {type} <strong>{status}</strong>
          </span>
          <span class="num muted">
            <Age since={lastTransitionTime} />
          </span>
          <span class="condition-text">
            {reason}
            {message === '' ? '' : `: ${message}`}
          </span>
        </li>
      ))}
    </ul>
  </section>
)
