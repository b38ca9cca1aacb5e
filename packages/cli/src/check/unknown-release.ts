/** Explains the server's list of known releases; undefined if the message is about something else. */
export function unknownReleaseText(release: string, message: string): string | undefined {
  const [, listed] = /Unsupported value: .*: supported values: (.+)$/.exec(message) ?? []
  if (listed === undefined) return undefined
  const known = listed.replaceAll('"', '')
  return `--to ${release}: the server does not know this release, and no server of the fleet runs it; known: ${known}. For another release, say what it reads with --resources or --decodable, or run its own "strata check"`
}
