import type { ConfigMap, Namespace } from '@strata/api'

export const bundleName = 'kube-root-ca.crt'
const bundleKey = 'ca.crt'
const descriptionKey = 'kubernetes.io/description'
/** Upstream's text, which tools recognise. */
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

export type PublicationDecision =
  | { readonly do: 'nothing' }
  | { readonly do: 'create' | 'update'; readonly bundle: ConfigMap }
  /** It is immutable and wrong: it has to be deleted and created again. */
  | { readonly do: 'delete' }

/** Keeps the CA bundle of the server in each namespace, and overwrites any other content. */
export function decidePublication(
  namespace: Namespace | undefined,
  published: ConfigMap | undefined,
  rootCa: string,
): PublicationDecision {
  if (namespace?.metadata.deletionTimestamp !== undefined || namespace?.status?.phase !== 'Active') {
    return { do: 'nothing' }
  }
  const data = { [bundleKey]: rootCa }
  const annotations = { ...published?.metadata.annotations, [descriptionKey]: description }
  if (!published) {
    const { name = '' } = namespace.metadata
    return { do: 'create', bundle: { metadata: { name: bundleName, namespace: name, annotations }, data } }
  }
  const isCorrect = isOnly(published.data, rootCa) && published.binaryData === undefined
  if (isCorrect && published.metadata.annotations?.[descriptionKey]) return { do: 'nothing' }
  if (!isCorrect && published.immutable) return { do: 'delete' }
  const { binaryData: _, ...kept } = published
  return { do: 'update', bundle: { ...kept, metadata: { ...published.metadata, annotations }, data } }
}

function isOnly(data: ConfigMap['data'], rootCa: string): boolean {
  return data?.[bundleKey] === rootCa && Object.keys(data).length === 1
}
