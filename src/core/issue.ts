// Errors of an input, as data. `issue-words.ts` has the words for the API, `field-words.ts` those for pages.

/** Keys and indices, from the input's root. */
export type Path = readonly (string | number)[]

/** The expectation that a value does not meet. Lengths of texts are in Unicode code points. */
export type Expectation =
  /** `expected`: the schema's name for its type or its values. */
  | { code: 'type'; expected: string }
  | { code: 'either'; of: readonly Expectation[] }
  | { code: 'too_high' | 'too_low'; limit: number }
  | { code: 'blank' }
  | { code: 'text_too_long' | 'url_too_long'; max: number }
  | { code: 'length'; min: number; max: number }
  | { code: 'turning_marks' | 'control_characters' | 'not_unicode' }
  | {
      code:
        | 'not_a_web_address'
        | 'not_an_email_address'
        | 'not_an_instant'
        | 'not_a_time_zone'
        | 'not_a_slug'
        | 'not_a_day'
        | 'not_a_metadata_key'
    }
  | { code: 'no_change' | 'no_token' | 'metadata_without_urls' }
  | { code: 'not_to_come' | 'not_a_network' }
  // Headers.
  | { code: 'not_an_idempotency_key' | 'not_a_version' | 'not_an_etag' }
  | { code: 'too_far_ahead'; years: number }
  | { code: 'not_a_cursor' }
  | { code: 'more_metadata_than_urls'; urls: number }
  // Variables.
  | { code: 'not_a_variable_name' | 'reserved_name' | 'listed_twice' | 'not_an_option' }
  | { code: 'variable_named_twice'; variable: number }
  // Policies.
  | { code: 'not_a_rule_id' }
  /** `meant`: the code of the country with that name. */
  | { code: 'not_a_country'; meant: string | null }
  | { code: 'name_taken'; rule: number }
  // The editor's form: JSON cannot repeat a key.
  | { code: 'key_taken'; entry: number }
  | { code: 'policy_too_large'; kib: number }
  | { code: 'not_a_condition' | 'no_conditions' | 'not_one_condition' | 'empty_text' | 'not_now' | 'not_a_language' }
  | { code: 'too_deep'; depth: number }
  | { code: 'no_option'; options: readonly string[] }
  | { code: 'no_field'; fields: readonly string[]; isNow: boolean }
  | { code: 'not_a_text'; max: number }
  | { code: 'not_texts'; max: number }
  | { code: 'not_days'; days: readonly string[] }
  | { code: 'not_a_time_of_day'; last: string }

/** Why a value of the input is refused. */
export type Reason =
  | Expectation
  | { code: 'missing'; expected: string }
  | { code: 'unknown_field' }
  | { code: 'too_few' | 'too_many'; limit: number; of: 'character' | 'entry' }
  | { code: 'placeholder_before_path'; name: string }
  | { code: 'too_many_placeholders' | 'too_many_placeholders_seen'; max: number }
  | { code: 'ends_before_it_begins' | 'after_today' | 'beside_range' }
  | { code: 'too_many_days'; max: number }
  | { code: 'closes_before_it_opens' | 'leads_elsewhere' | 'shifted_too_far' | 'link_in_name' }
  | { code: 'password_missing' | 'password_unused' | 'password_too_common' | 'password_is_the_service' }
  | { code: 'password_too_short'; min: number }
  | { code: 'password_too_long'; max: number }
  | { code: 'rule_of_another_bundle' | 'rule_id_sent_twice' | 'omit_without_bundle' | 'leaves_no_tab' }
  | { code: 'beside_cursor' }
  | { code: 'not_as_in_path'; isSlug: boolean }
  // Changes to single links.
  | { code: 'no_link_of_it' | 'a_link_already' | 'link_sent_twice' | 'no_link_left' | 'beside_whole_lists' }
  | { code: 'too_many_links'; links: number; max: number }
  | { code: 'host_blocked'; host: string }
  | { code: 'needs_an_account' }
  | { code: 'reserved_for_the_label' }
  | { code: 'no_picture' | 'picture_too_large' }
  | { code: 'metadata_too_large'; max: number }
  // The form for rules: JSON may have these.
  | { code: 'not_chosen' }
  | { code: 'no_such_value'; value: string; values: readonly string[]; isListed: boolean }
  | { code: 'no_country'; value: string; isListed: boolean }
  | UnfitTarget

/** Why a URL may not be requested. */
export type UnfitTarget = {
  code: 'scheme_not_allowed' | 'credentials_in_url' | 'port_not_allowed' | 'address_not_public' | 'host_unknown'
}

/** The probable intention behind a wrong value. */
export type Hint =
  /** A missing field was sent under another name. */
  | { code: 'sent_as'; name: string }
  /** An unknown field resembles a known one; with the converted value, if it differs. */
  | { code: 'near'; name: string; value?: unknown }
  /** An unknown field belongs in a header. */
  | { code: 'as_header'; header: string }
  /** An unknown field of an entry belongs to the whole call. */
  | { code: 'of_call' }
  /** Fields were wrapped in an object. */
  | { code: 'wrapped' }
  /** The sent text, and the web address it may stand for. */
  | { code: 'instead_of'; sent: string; meant: string | null }
  /** A value was sent in the wrong form. */
  | { code: 'meant'; value: unknown }
  /** One entry was sent for several. */
  | { code: 'meant_each'; values: readonly string[] }
  /** A link was sent with its notes in place of a text. */
  | { code: 'meant_text'; link: string }
  /** A list or an object was sent as the text of its JSON. */
  | { code: 'meant_json' }
  /** An empty text was sent in place of null. */
  | { code: 'left_out'; orNull: boolean }
  /** A resource was named by something other than its id, its address or its receiver. */
  | { code: 'by_listed_id' | 'by_link' | 'by_receiver' | 'by_access' }

/** One error in the input. */
export interface Issue {
  path: Path
  reason: Reason
  hint?: Hint | undefined
}
