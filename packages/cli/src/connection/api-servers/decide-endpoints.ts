import { isIP } from 'node:net'

/** An EndpointSlice of discovery.k8s.io/v1, as far as it names servers. */
export interface EndpointSliceFields {
  readonly addressType?: string
  readonly endpoints?:
    | readonly {
        readonly addresses?: readonly string[] | null
        readonly conditions?: { readonly ready?: boolean | null }
      }[]
    | null
  readonly ports?: readonly { readonly name?: string | null; readonly port?: number | null }[] | null
}

/** The addresses of the API servers in the slices of the service default/kubernetes, each once and in order. */
export function decideEndpoints(slices: readonly EndpointSliceFields[]): readonly string[] {
  const urls = slices.flatMap(({ endpoints, ports }) => {
    const port = ports?.find(({ name }) => name === 'https')?.port ?? ports?.[0]?.port
    if (port === undefined || port === null) return []
    return (endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ addresses }) => addresses ?? [])
      .filter((address) => isIP(address) !== 0)
      .map((address) => `https://${isIP(address) === 6 ? `[${address}]` : address}:${port}`)
  })
  return [...new Set(urls)].sort()
}
