import { useSignal } from '@preact/signals'
import type { ApiObject } from '@strata/api'
import { useEffect } from 'preact/hooks'
import type { RecordDetails } from '../../model/agreement/record-details.ts'
import { decideHistory, type HistoryLine, type RecordEvent } from '../../model/agreement/record-events.ts'
import { Age } from '../../shell/age.tsx'
import { useApp } from '../../shell/app-context.ts'

/** What happened to the record: its Events, which the servers keep for an hour. They are read again when it has changed. */
export const RecordHistory = ({ record: { name, revision } }: { readonly record: RecordDetails }) => {
  const { client } = useApp()
  const lines = useSignal<readonly HistoryLine[] | undefined>(undefined)
  useEffect(() => {
    const stop = new AbortController()
    const fieldSelector = `involvedObject.kind=StorageAgreement,involvedObject.name=${name}`
    client
      .resource<ApiObject & RecordEvent>({ group: '', versionName: 'v1', resource: 'events' })
      .list({ namespace: 'default', fieldSelector }, stop.signal)
      .then(({ items }) => (lines.value = decideHistory(items)))
      // Beside the record, and without the right to read Events: nothing.
      .catch(() => {})
    return () => stop.abort(new Error(`revision ${revision} is not shown any more`))
  }, [client, name, revision, lines])
  if (lines.value === undefined || lines.value.length === 0) return null
  return (
    <section>
      <h3>History</h3>
      <ol class="history">
        {lines.value.map(({ key, at, reason, message }) => (
          <li key={key}>
            <span class="num muted">
              <Age since={at} />
            </span>
            <span>
              {reason}: <span class="muted">{message}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
