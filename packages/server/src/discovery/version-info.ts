/** The content of `/version`. */
export interface VersionInfo {
  readonly major: string
  readonly minor: string
  readonly emulationMajor: string
  readonly emulationMinor: string
  readonly minCompatibilityMajor: string
  readonly minCompatibilityMinor: string
  readonly gitVersion: string
  readonly gitCommit: string
  readonly gitTreeState: string
  readonly buildDate: string
  readonly goVersion: string
  readonly compiler: string
  readonly platform: string
}

/** The Kubernetes release whose API this server implements. */
export const versionInfo: VersionInfo = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.4+strata',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'node',
  platform: 'node',
}

/** The same server, called another Kubernetes release: `1.30`, of which `tag` is a patch release, such as `v1.30.14`. */
export function versionInfoOf(minor: number, tag: string): VersionInfo {
  return {
    ...versionInfo,
    ...{ minor: String(minor), emulationMinor: String(minor), minCompatibilityMinor: String(minor - 1) },
    gitVersion: `${tag}+strata`,
  }
}
