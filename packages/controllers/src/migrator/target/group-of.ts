/** Of `apps/v1`; '' for `v1`, of the core group. */
export function groupOf(groupVersion: string): string {
  return groupVersion.includes('/') ? (groupVersion.split('/')[0] ?? '') : ''
}
