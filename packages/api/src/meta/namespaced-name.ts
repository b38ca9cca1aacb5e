/** `namespace/name`, or the name alone for cluster-scoped objects. */
export function namespacedName({
  namespace,
  name = '',
}: {
  readonly namespace?: string | undefined
  readonly name?: string | undefined
}): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}
