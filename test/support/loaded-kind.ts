/** A kind with two versions that loads write. A value in its spec, the colour, names the write that made it. */
export interface LoadedKind {
  readonly group: string
  readonly plural: string
  readonly kind: string
  readonly specOf: (versionName: LoadedVersion, colour: string) => Readonly<Record<string, unknown>>
}

export type LoadedVersion = 'v1' | 'v2'

/** The kind of the example, which belongs to the program. */
export const loadedBeacons: LoadedKind = {
  group: 'lighthouse.example.dev',
  plural: 'beacons',
  kind: 'Beacon',
  specOf: (versionName, colour) =>
    versionName === 'v1' ? { everySeconds: 5, colour } : { periodMs: 1500, silent: true, colour },
}

export const loadedPath = (
  { group, plural }: LoadedKind,
  versionName: LoadedVersion,
  namespace = 'default',
): string => `/apis/${group}/${versionName}/namespaces/${namespace}/${plural}`
