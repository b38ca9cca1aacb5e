/** The minor release in a name such as `1.37`, `v1.36.4` or `v1.36.4+k3s1`; undefined if it is not a release of Kubernetes. */
export function minorOf(release: string): number | undefined {
  const minor = /^v?1\.(\d{1,3})\+?(?:\.\d.*|[-+].*)?$/.exec(release)?.[1]
  return minor === undefined ? undefined : Number(minor)
}

export const releaseName = (minor: number): string => `1.${minor}`

/** The releases that an API server runs through on the way, the last one included: one minor release at a time. */
export function stepsBetween(from: number, to: number): number[] {
  const direction = to < from ? -1 : 1
  return Array.from({ length: Math.abs(to - from) }, (_, index) => from + direction * (index + 1))
}
