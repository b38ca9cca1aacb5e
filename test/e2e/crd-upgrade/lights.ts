/** A version of `lights`: what its schema knows, and its marks. */
export interface LightVersion {
  readonly name: string
  readonly fields?: readonly string[]
  readonly storage?: boolean
  readonly served?: boolean
}

export const group = 'light.example.dev'

/** A CRD of `plural`, whose objects have a spec with text fields. */
export function lightCrd(
  plural: string,
  versions: readonly LightVersion[],
  { webhook, annotations = {} }: { readonly webhook?: object; readonly annotations?: object } = {},
) {
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}`
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations },
    spec: {
      group,
      names: { plural, singular: plural.slice(0, -1), kind },
      scope: 'Namespaced',
      versions: versions.map(({ name, fields = ['color'], storage = false, served = true }) => ({
        ...{ name, served, storage },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
              },
            },
          },
        },
      })),
      ...(webhook === undefined
        ? {}
        : {
            conversion: {
              strategy: 'Webhook',
              webhook: { clientConfig: webhook, conversionReviewVersions: ['v1'] },
            },
          }),
    },
  }
}

export function lights(plural: string, versionName: string, count: number, spec: object): object {
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}`
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: Array.from({ length: count }, (_, index) => ({
      apiVersion: `${group}/${versionName}`,
      kind,
      metadata: { name: `one-${index}`, namespace: 'default', labels: { row: String(index) } },
      spec,
    })),
  }
}
