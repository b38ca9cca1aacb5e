/** A server that does not know a release lists those that it knows; undefined if it says something else. */
export function unknownReleaseText(release: string, message: string): string | undefined {
  const [, listed] = /Unsupported value: .*: supported values: (.+)$/.exec(message) ?? []
  if (listed === undefined) return undefined
  const known = listed.replaceAll('"', '')
  return `--to ${release}: the server does not know this release, and no server of it is part of the fleet; known: ${known}. Of another one, say what it reads with --resources or --decodable, or run its own "strata check"`
}
