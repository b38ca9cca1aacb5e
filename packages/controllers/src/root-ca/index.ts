import { configMaps, namespaces } from '@strata/api'
import { type ControllerPart, informerSource, type Term } from '../engine/index.ts'
import { bundleName } from './decide-publication.ts'
import { createRootCaPublisher } from './root-ca-controller.ts'

/** Without a CA bundle the controller has no sources and does nothing. */
export function rootCaPublisher({
  client,
  informers,
  log,
  options: { rootCa },
}: Term & { readonly options: { readonly rootCa?: string | undefined } }): ControllerPart {
  if (rootCa === undefined) return { sources: [], reconciler: { reconcile: async () => undefined } }
  const namespaceInformer = informers.of(namespaces, 'v1')
  const bundleInformer = informers.of(configMaps, 'v1', { fieldSelector: `metadata.name=${bundleName}` })
  return {
    sources: [
      informerSource(namespaceInformer, ({ key }) => [key]),
      informerSource(bundleInformer, ({ object }) => [object.metadata.namespace ?? '']),
    ],
    reconciler: createRootCaPublisher({
      configMaps: client.resource(configMaps, 'v1'),
      known: { namespaces: namespaceInformer.store, configMaps: bundleInformer.store },
      rootCa,
      log,
    }),
  }
}
