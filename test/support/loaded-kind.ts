/** A kind with one or two versions that loads write. A value in it, the colour, names the write that made it. */
export interface LoadedKind {
  readonly group: string
  readonly plural: string
  readonly kind: string
  /** The fields of an object besides its metadata. */
  readonly contentOf: (versionName: LoadedVersion, colour: string) => Readonly<Record<string, unknown>>
  readonly colourIn: (object: Readonly<Record<string, unknown>>) => string | undefined
}

export type LoadedVersion = 'v1' | 'v2'

const colourInSpec: LoadedKind['colourIn'] = ({ spec }) => (spec as { readonly colour?: string }).colour

/** The kind of the example, which belongs to the program. */
export const loadedBeacons: LoadedKind = {
  group: 'lighthouse.example.dev',
  plural: 'beacons',
  kind: 'Beacon',
  contentOf: (versionName, colour) => ({
    spec: versionName === 'v1' ? { everySeconds: 5, colour } : { periodMs: 1500, silent: true, colour },
  }),
  colourIn: colourInSpec,
}

/** Built in, and of one version. */
export const loadedConfigMaps: LoadedKind = {
  group: '',
  plural: 'configmaps',
  kind: 'ConfigMap',
  contentOf: (_, colour) => ({ data: { colour } }),
  colourIn: ({ data }) => (data as { readonly colour?: string } | undefined)?.colour,
}

/** A custom resource. */
export const loadedGadgets: LoadedKind = {
  group: 'workshop.example.org',
  plural: 'gadgets',
  kind: 'Gadget',
  contentOf: (_, colour) => ({ spec: { colour } }),
  colourIn: colourInSpec,
}

export const loadedApiVersion = ({ group }: LoadedKind, versionName: LoadedVersion): string =>
  group === '' ? versionName : `${group}/${versionName}`

export const loadedPath = (kind: LoadedKind, versionName: LoadedVersion, namespace = 'default'): string =>
  `/${kind.group === '' ? 'api' : 'apis'}/${loadedApiVersion(kind, versionName)}/namespaces/${namespace}/${kind.plural}`

/** The key prefix of its objects in the store. */
export const loadedPrefix = ({ group, plural }: LoadedKind): string =>
  `/registry/${group === '' ? plural : `${group}/${plural}`}/`

/** The name of its agreement record. */
export const loadedRecordName = ({ group, plural }: LoadedKind): string =>
  `${group === '' ? 'core' : group}.${plural}`
