/** What `/version` says: the Kubernetes release whose API this server speaks. */
export const versionInfo = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.4+strata',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'node',
  platform: 'node',
} as const
