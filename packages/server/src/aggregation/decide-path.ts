/**
 * Whether a path means the same to this server, which authorizes it, and to every backend. Some servers resolve `..`, drop
 * empty segments or decode `%2F`: to them the path would name another object than the one that was authorized.
 */
export function isPlainPath(path: string): boolean {
  const segments = path.split('/').slice(1)
  if (segments.at(-1) === '') segments.pop()
  return segments.every((segment) => {
    try {
      const text = decodeURIComponent(segment)
      return text !== '' && text !== '.' && text !== '..' && !/[/\\\0]/.test(text)
    } catch {
      return false
    }
  })
}
