import { useSignal } from '@preact/signals'
import type { ApiObject } from '@strata/api'
import { useEffect } from 'preact/hooks'
import type { PlayedAction } from '../../model/playground/fleet-view.ts'
import { useApp } from '../app-context.ts'

interface Definition extends ApiObject {
  spec: { readonly versions: readonly { readonly name: string; readonly storage: boolean }[] }
}

/** CRDs with more than one version, and which one is stored. They are read when the agreement on one of them changes. */
export const CrdSwitch = ({ act }: { readonly act: (action: PlayedAction) => void }) => {
  const { client, records } = useApp()
  const found = useSignal<readonly Definition[]>([])
  const custom = [...records.value].filter(([, { status }]) =>
    status.servers.some(({ isCustom }) => isCustom),
  )
  const mark = custom.map(([name, { status }]) => `${name} ${status.epoch}`).join()
  useEffect(() => {
    if (mark === '') {
      found.value = []
      return
    }
    const stop = new AbortController()
    client
      .resource<Definition>({
        group: 'apiextensions.k8s.io',
        versionName: 'v1',
        resource: 'customresourcedefinitions',
      })
      .list({}, stop.signal)
      .then(({ items }) => (found.value = items.filter(({ spec }) => spec.versions.length > 1)))
      .catch(() => {})
    return () => stop.abort(new Error('another look follows'))
  }, [client, mark, found])
  if (found.value.length === 0) return null
  return (
    <ul class="played-crds">
      {found.value.map(({ metadata: { name = '' }, spec: { versions } }) => (
        <li key={name}>
          <label for={`crd-${name}`}>{name} is stored in</label>
          <select
            id={`crd-${name}`}
            value={versions.find(({ storage }) => storage)?.name ?? ''}
            onChange={({ currentTarget: { value: version } }) =>
              act({ action: 'switch-storage-version', crd: name, version })
            }
          >
            {versions.map(({ name: version }) => (
              <option key={version} value={version}>
                {version}
              </option>
            ))}
          </select>
        </li>
      ))}
    </ul>
  )
}
