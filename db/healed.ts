import { customType } from 'drizzle-orm/sqlite-core'

// Columns of JSON in which an entry of `urlMetadata` may be a list: the API once took `[]` there, and clients refuse it.

/** A column whose value is the metadata itself. */
export const metadataColumn = <T extends object[]>(name: string) => healedColumn<T>(name, healed)

/** A column whose value is an object that may have metadata. */
export const withMetadataColumn = <T extends { urlMetadata?: object[] }>(name: string) =>
  healedColumn<T>(name, (value) => {
    if (value.urlMetadata !== undefined) value.urlMetadata = healed(value.urlMetadata)
    return value
  })

/** The metadata with `{}`, which says the same, for each list. */
function healed<T extends object[]>(metadata: T): T {
  return (metadata.some(Array.isArray) ? metadata.map((entry) => (Array.isArray(entry) ? {} : entry)) : metadata) as T
}

function healedColumn<T>(name: string, heal: (value: T) => T) {
  return customType<{ data: T; driverData: string }>({
    dataType: () => 'text',
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (text) => heal(JSON.parse(text)),
  })(name)
}
