const dayMs = 86_400_000

/** `audit.log` becomes `audit-2026-01-31T23-59-59.000.log`, as upstream names it. */
export function backupName(name: string, nowMs: number): string {
  const { stem, extension } = split(name)
  const time = new Date(nowMs).toISOString().replaceAll(':', '-').slice(0, -1)
  return `${stem}-${time}${extension}`
}

const timePattern = /^(\d{4}-\d{2}-\d{2}T)(\d{2})-(\d{2})-(\d{2}\.\d{3})$/

/** The old files of a log that must be removed: too many, or too old. Other files are left alone. */
export function decideBackups(
  name: string,
  files: readonly string[],
  { maxAgeDays, maxBackups, nowMs }: { maxAgeDays: number; maxBackups: number; nowMs: number },
): readonly string[] {
  const { stem, extension } = split(name)
  const backups = files
    .map((file) => ({ file, writtenMs: timeOf(file, `${stem}-`, extension) }))
    .filter(({ writtenMs }) => !Number.isNaN(writtenMs))
    .sort((a, b) => b.writtenMs - a.writtenMs)
  return backups
    .filter(
      ({ writtenMs }, index) =>
        (maxBackups > 0 && index >= maxBackups) || (maxAgeDays > 0 && nowMs - writtenMs > maxAgeDays * dayMs),
    )
    .map(({ file }) => file)
}

function timeOf(file: string, prefix: string, extension: string): number {
  if (!file.startsWith(prefix) || !file.endsWith(extension)) return Number.NaN
  const [, day, hours, minutes, seconds] =
    timePattern.exec(file.slice(prefix.length, file.length - extension.length)) ?? []
  return day === undefined ? Number.NaN : Date.parse(`${day}${hours}:${minutes}:${seconds}Z`)
}

function split(name: string): { readonly stem: string; readonly extension: string } {
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? { stem: name, extension: '' } : { stem: name.slice(0, dot), extension: name.slice(dot) }
}
