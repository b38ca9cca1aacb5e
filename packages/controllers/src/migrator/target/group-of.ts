/** The group in a group version: `apps` for `apps/v1`, '' for `v1`. */
export function groupOf(groupVersion: string): string {
  return groupVersion.includes('/') ? (groupVersion.split('/')[0] ?? '') : ''
}
