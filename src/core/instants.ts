/** An ISO 8601 time with a UTC offset. */
export const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Whether a text is a valid ISO 8601 time with an offset. Runtimes disagree about 30 February. */
export function isInstant(text: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] =
    INSTANT.exec(text)
      ?.slice(1)
      .map((digits) => Number(digits ?? 0)) ?? []
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
  return isDay && hour < 24 && minute < 60 && second < 60
}
