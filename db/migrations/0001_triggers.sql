-- What drizzle cannot express: triggers, grouped by what they keep true however a row is changed, and the full-text index.
-- A later migration that makes a table anew needs its triggers again.

-- == The feed of changed bundles: a row for each change, with what reads it (db/bundle-schema.ts). ==
-- Nobody has a launcher of a new bundle yet, and only launchers read of one that nobody owns.
CREATE TRIGGER bundle_begins AFTER INSERT ON bundles WHEN new.owner_id IS NOT NULL
BEGIN
	INSERT INTO bundle_changes (bundle_id, owner_id, for_sites, for_links, at)
		VALUES (new.id, new.owner_id, 1, 1, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
-- Except for what the sweep notes and erases, which nobody sees; a claim erases it too.
CREATE TRIGGER bundle_changed AFTER UPDATE ON bundles
	WHEN (new.viewed_at IS old.viewed_at AND new.address_hash IS old.address_hash) OR new.owner_id IS NOT old.owner_id
BEGIN
	INSERT INTO bundle_changes (bundle_id, owner_id, slug, for_search, for_sites, for_links, at)
		VALUES (new.id, new.owner_id, new.slug, new.owner_id IS NOT NULL AND new.owner_id IS NOT old.owner_id,
			coalesce(new.owner_id, old.owner_id) IS NOT NULL AND (new.urls <> old.urls OR new.resolution_policy IS NOT old.resolution_policy
				OR new.icons <> old.icons OR (new.owner_id IS NULL) <> (old.owner_id IS NULL) OR (new.deleted_at IS NULL) <> (old.deleted_at IS NULL)),
			coalesce(new.owner_id, old.owner_id) IS NOT NULL AND (new.urls <> old.urls OR new.url_metadata <> old.url_metadata
				OR new.variables <> old.variables OR new.owner_id IS NOT old.owner_id OR (new.deleted_at IS NULL) <> (old.deleted_at IS NULL)),
			CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
-- Launchers are cached under the old slug, and the index has it for the old owner.
CREATE TRIGGER bundle_moved AFTER UPDATE OF slug, owner_id ON bundles
	WHEN new.slug <> old.slug OR (old.owner_id IS NOT NULL AND new.owner_id IS NOT old.owner_id)
BEGIN
	INSERT INTO bundle_changes (bundle_id, owner_id, slug, for_search, at)
		VALUES (old.id, old.owner_id, old.slug, old.owner_id IS NOT NULL AND new.owner_id IS NOT old.owner_id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
CREATE TRIGGER bundle_gone AFTER DELETE ON bundles
BEGIN
	INSERT INTO bundle_changes (bundle_id, owner_id, slug, for_search, for_links, at)
		VALUES (old.id, old.owner_id, old.slug, old.owner_id IS NOT NULL, old.owner_id IS NOT NULL, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
-- Unless the bundle is to be read for search anyway.
CREATE TRIGGER text_begins AFTER INSERT ON bundle_search
BEGIN
	INSERT INTO bundle_changes (bundle_id, owner_id, for_search, at)
		SELECT id, owner_id, 1, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM bundles WHERE id = new.bundle_id AND owner_id IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM bundle_changes WHERE owner_id = bundles.owner_id AND bundle_id = bundles.id AND for_search = 1);
END;
--> statement-breakpoint
CREATE TRIGGER text_changed AFTER UPDATE ON bundle_search
BEGIN
	INSERT INTO bundle_changes (bundle_id, owner_id, for_search, at)
		SELECT id, owner_id, 1, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM bundles WHERE id = new.bundle_id AND owner_id IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM bundle_changes WHERE owner_id = bundles.owner_id AND bundle_id = bundles.id AND for_search = 1);
END;
--> statement-breakpoint
CREATE TRIGGER bundle_blocked AFTER INSERT ON blocked_bundles
BEGIN
	INSERT INTO bundle_changes (bundle_id, slug, at) SELECT id, slug, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM bundles WHERE id = new.bundle_id;
END;
--> statement-breakpoint
CREATE TRIGGER bundle_unblocked AFTER DELETE ON blocked_bundles
BEGIN
	INSERT INTO bundle_changes (bundle_id, slug, at) SELECT id, slug, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM bundles WHERE id = old.bundle_id;
END;
--> statement-breakpoint
-- Launchers name the organisation they belong to.
CREATE TRIGGER organization_renamed AFTER UPDATE OF name ON organization WHEN new.name IS NOT old.name
BEGIN
	INSERT INTO bundle_changes (bundle_id, slug, at)
		SELECT id, slug, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM bundles
		WHERE owner_id = (SELECT id FROM owners WHERE organization_id = new.id) AND deleted_at IS NULL;
END;
--> statement-breakpoint
-- == owners.bundle_count: bundles that are not deleted. ==
CREATE TRIGGER bundle_counted AFTER INSERT ON bundles WHEN new.owner_id IS NOT NULL AND new.deleted_at IS NULL
BEGIN
	UPDATE owners SET bundle_count = bundle_count + 1 WHERE id = new.owner_id;
END;
--> statement-breakpoint
CREATE TRIGGER bundle_count_moves AFTER UPDATE OF owner_id, deleted_at ON bundles
BEGIN
	UPDATE owners SET bundle_count = bundle_count - 1 WHERE id = old.owner_id AND old.deleted_at IS NULL;
	UPDATE owners SET bundle_count = bundle_count + 1 WHERE id = new.owner_id AND new.deleted_at IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER bundle_uncounted AFTER DELETE ON bundles WHEN old.owner_id IS NOT NULL AND old.deleted_at IS NULL
BEGIN
	UPDATE owners SET bundle_count = bundle_count - 1 WHERE id = old.owner_id;
END;
--> statement-breakpoint
-- == owners.history_bytes: twice the bytes of each bundle, with those of its versions and parts, and 64 for each rule. ==
-- What a cascade deletes finds its bundle gone already, and is subtracted by history_gone; the others are for what is deleted
-- while the bundle stays.
CREATE TRIGGER content_counted AFTER INSERT ON bundles WHEN new.owner_id IS NOT NULL
BEGIN
	UPDATE owners SET history_bytes = history_bytes + 2 * new.bytes WHERE id = new.owner_id;
END;
--> statement-breakpoint
CREATE TRIGGER content_recounted AFTER UPDATE ON bundles WHEN new.owner_id IS old.owner_id AND new.bytes <> old.bytes
BEGIN
	UPDATE owners SET history_bytes = history_bytes + 2 * (new.bytes - old.bytes) WHERE id = new.owner_id;
END;
--> statement-breakpoint
CREATE TRIGGER version_counted AFTER INSERT ON bundle_versions
BEGIN
	UPDATE owners SET history_bytes = history_bytes + new.bytes WHERE id = (SELECT owner_id FROM bundles WHERE id = new.bundle_id);
END;
--> statement-breakpoint
-- The last version that uses a part takes it along.
CREATE TRIGGER version_gone AFTER DELETE ON bundle_versions WHEN EXISTS (SELECT 1 FROM bundles WHERE id = old.bundle_id)
BEGIN
	UPDATE owners SET history_bytes = history_bytes - old.bytes WHERE id = (SELECT owner_id FROM bundles WHERE id = old.bundle_id);
	DELETE FROM version_parts WHERE id IN (old.urls_part, old.url_metadata_part, old.variables_part, old.description_part, old.resolution_policy_part)
		AND NOT EXISTS (SELECT 1 FROM bundle_versions WHERE urls_part = version_parts.id)
		AND NOT EXISTS (SELECT 1 FROM bundle_versions WHERE url_metadata_part = version_parts.id)
		AND NOT EXISTS (SELECT 1 FROM bundle_versions WHERE variables_part = version_parts.id)
		AND NOT EXISTS (SELECT 1 FROM bundle_versions WHERE description_part = version_parts.id)
		AND NOT EXISTS (SELECT 1 FROM bundle_versions WHERE resolution_policy_part = version_parts.id);
END;
--> statement-breakpoint
CREATE TRIGGER part_counted AFTER INSERT ON version_parts
BEGIN
	UPDATE owners SET history_bytes = history_bytes + new.bytes WHERE id = (SELECT owner_id FROM bundles WHERE id = new.bundle_id);
END;
--> statement-breakpoint
CREATE TRIGGER part_gone AFTER DELETE ON version_parts
BEGIN
	UPDATE owners SET history_bytes = history_bytes - old.bytes WHERE id = (SELECT owner_id FROM bundles WHERE id = old.bundle_id);
END;
--> statement-breakpoint
CREATE TRIGGER rule_counted AFTER INSERT ON policy_rules
BEGIN
	UPDATE owners SET history_bytes = history_bytes + 64 WHERE id = (SELECT owner_id FROM bundles WHERE id = new.bundle_id);
END;
--> statement-breakpoint
CREATE TRIGGER rule_gone AFTER DELETE ON policy_rules
BEGIN
	UPDATE owners SET history_bytes = history_bytes - 64 WHERE id = (SELECT owner_id FROM bundles WHERE id = old.bundle_id);
END;
--> statement-breakpoint
CREATE VIEW bundle_sizes AS SELECT id, 2 * bytes
	+ (SELECT coalesce(sum(bytes), 0) FROM bundle_versions WHERE bundle_id = bundles.id)
	+ (SELECT coalesce(sum(bytes), 0) FROM version_parts WHERE bundle_id = bundles.id)
	+ (SELECT 64 * count(*) FROM policy_rules WHERE bundle_id = bundles.id) AS bytes FROM bundles;
--> statement-breakpoint
-- The view has the new content already.
CREATE TRIGGER history_changes_hands AFTER UPDATE OF owner_id ON bundles WHEN new.owner_id IS NOT old.owner_id
BEGIN
	UPDATE owners SET history_bytes = history_bytes - (SELECT bytes FROM bundle_sizes WHERE id = old.id) - 2 * (old.bytes - new.bytes)
		WHERE id = old.owner_id;
	UPDATE owners SET history_bytes = history_bytes + (SELECT bytes FROM bundle_sizes WHERE id = new.id) WHERE id = new.owner_id;
END;
--> statement-breakpoint
CREATE TRIGGER history_gone BEFORE DELETE ON bundles WHEN old.owner_id IS NOT NULL
BEGIN
	UPDATE owners SET history_bytes = history_bytes - (SELECT bytes FROM bundle_sizes WHERE id = old.id) WHERE id = old.owner_id;
END;
--> statement-breakpoint
-- == owners.answer_bytes and owners.proposal_bytes, with what rows and indexes take besides. ==
CREATE TRIGGER answer_counted AFTER INSERT ON idempotency_answers WHEN new.owner_id IS NOT NULL
BEGIN
	UPDATE owners SET answer_bytes = answer_bytes + length(new.answer) + 256 WHERE id = new.owner_id;
END;
--> statement-breakpoint
CREATE TRIGGER answer_gone AFTER DELETE ON idempotency_answers WHEN old.owner_id IS NOT NULL
BEGIN
	UPDATE owners SET answer_bytes = answer_bytes - length(old.answer) - 256 WHERE id = old.owner_id;
END;
--> statement-breakpoint
CREATE TRIGGER proposal_counted AFTER INSERT ON proposals
BEGIN
	UPDATE owners SET proposal_bytes = proposal_bytes + new.bytes WHERE id = new.owner_id;
END;
--> statement-breakpoint
CREATE TRIGGER proposal_recounted AFTER UPDATE ON proposals WHEN new.bytes <> old.bytes
BEGIN
	UPDATE owners SET proposal_bytes = proposal_bytes + new.bytes - old.bytes WHERE id = new.owner_id;
END;
--> statement-breakpoint
CREATE TRIGGER proposal_gone AFTER DELETE ON proposals
BEGIN
	UPDATE owners SET proposal_bytes = proposal_bytes - old.bytes WHERE id = old.owner_id;
END;
--> statement-breakpoint
-- Proposals follow their bundle to another owner, with their bytes. A bundle without an owner has none.
CREATE TRIGGER proposals_change_hands AFTER UPDATE OF owner_id ON bundles WHEN new.owner_id IS NOT old.owner_id
BEGIN
	UPDATE owners SET proposal_bytes = proposal_bytes - (SELECT coalesce(sum(bytes), 0) FROM proposals WHERE bundle_id = new.id)
		WHERE id = old.owner_id;
	UPDATE owners SET proposal_bytes = proposal_bytes + (SELECT coalesce(sum(bytes), 0) FROM proposals WHERE bundle_id = new.id)
		WHERE id = new.owner_id;
	UPDATE proposals SET owner_id = new.owner_id WHERE bundle_id = new.id;
END;
--> statement-breakpoint
-- == Slugs of bundles that are gone stay taken. ==
CREATE TRIGGER slug_retires AFTER DELETE ON bundles
BEGIN
	INSERT OR IGNORE INTO retired_slugs (slug_hash) VALUES (old.slug_hash);
END;
--> statement-breakpoint
-- As the index on slugs refuses one that is in use.
CREATE TRIGGER slug_stays_retired BEFORE INSERT ON bundles WHEN EXISTS (SELECT 1 FROM retired_slugs WHERE slug_hash = new.slug_hash)
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: bundles.slug');
END;
--> statement-breakpoint
-- == Aliases: the table has those of all bundles, once each, and none that is a slug. ==
-- Slugs, with the aliases of other bundles, are one space. RAISE, as the index on slugs refuses one that is in use.
CREATE TRIGGER alias_is_free BEFORE INSERT ON aliases
	WHEN EXISTS (SELECT 1 FROM bundles WHERE slug = new.slug) OR EXISTS (SELECT 1 FROM retired_slugs WHERE slug_hash = new.slug_hash)
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: aliases.slug');
END;
--> statement-breakpoint
CREATE TRIGGER slug_is_no_alias BEFORE INSERT ON bundles WHEN EXISTS (SELECT 1 FROM aliases WHERE slug = new.slug)
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: bundles.slug');
END;
--> statement-breakpoint
CREATE TRIGGER new_slug_is_free BEFORE UPDATE OF slug ON bundles WHEN new.slug <> old.slug
	AND (EXISTS (SELECT 1 FROM aliases WHERE slug = new.slug AND bundle_id <> new.id) OR EXISTS (SELECT 1 FROM retired_slugs WHERE slug_hash = new.slug_hash))
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: bundles.slug');
END;
--> statement-breakpoint
CREATE TRIGGER aliases_arrive AFTER INSERT ON bundles WHEN new.aliases IS NOT NULL
BEGIN
	INSERT INTO aliases (slug, slug_hash, bundle_id) SELECT key, value, new.id FROM json_each(new.aliases);
END;
--> statement-breakpoint
CREATE TRIGGER aliases_change AFTER UPDATE OF aliases, slug ON bundles WHEN new.aliases IS NOT old.aliases OR new.slug <> old.slug
BEGIN
	DELETE FROM aliases WHERE bundle_id = new.id AND slug NOT IN (SELECT key FROM json_each(coalesce(new.aliases, '{}')));
	INSERT INTO aliases (slug, slug_hash, bundle_id) SELECT key, value, new.id FROM json_each(coalesce(new.aliases, '{}'))
		WHERE key NOT IN (SELECT slug FROM aliases WHERE bundle_id = new.id);
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: aliases.slug') WHERE EXISTS (SELECT 1 FROM aliases WHERE slug = new.slug);
END;
--> statement-breakpoint
-- Like a slug, an alias stays taken once its bundle is gone. One that is given up is free.
CREATE TRIGGER alias_retires AFTER DELETE ON aliases WHEN NOT EXISTS (SELECT 1 FROM bundles WHERE id = old.bundle_id)
BEGIN
	INSERT OR IGNORE INTO retired_slugs (slug_hash) VALUES (old.slug_hash);
END;
--> statement-breakpoint
-- == Search: bundle_index follows bundle_search, by way of the feed, for bundles that somebody owns. ==
-- Double quotes, because a dump made by sqld does not escape single ones.
CREATE VIRTUAL TABLE bundle_index USING fts5(owner, text, content = "", contentless_delete = 1, detail = none, tokenize = "trigram case_sensitive 1");
--> statement-breakpoint
INSERT INTO search_erasure (id, erased_at, rewritten_for) VALUES (1, 0, 0);
--> statement-breakpoint
CREATE TRIGGER search_gone AFTER DELETE ON bundles WHEN old.owner_id IS NOT NULL
BEGIN
	UPDATE search_erasure SET erased_at = CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
-- == Sites that bundles link to: what a bundle leaves behind. ==
CREATE TRIGGER sites_gone AFTER DELETE ON bundles
BEGIN
	DELETE FROM bundle_sites WHERE bundle_id = old.id;
END;
--> statement-breakpoint
-- == sites.unused_since: null while a bundle links to it. ==
CREATE TRIGGER site_linked AFTER INSERT ON bundle_sites
BEGIN
	INSERT INTO sites (origin, due_at) VALUES (new.origin, CAST(unixepoch('subsec') * 1000 AS INTEGER))
		ON CONFLICT (origin) DO UPDATE SET unused_since = NULL;
END;
--> statement-breakpoint
-- Of a site without an icon nothing is worth keeping once no bundle links to it: edits could leave any number of such rows behind.
CREATE TRIGGER site_unlinked AFTER DELETE ON bundle_sites WHEN NOT EXISTS (SELECT 1 FROM bundle_sites WHERE origin = old.origin)
BEGIN
	DELETE FROM sites WHERE origin = old.origin AND icon_id IS NULL;
	UPDATE sites SET unused_since = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE origin = old.origin;
END;
--> statement-breakpoint
-- == icons.unused_since: null while a site has it. ==
CREATE TRIGGER icon_taken AFTER INSERT ON sites WHEN new.icon_id IS NOT NULL
BEGIN
	UPDATE icons SET unused_since = NULL WHERE id = new.icon_id;
END;
--> statement-breakpoint
CREATE TRIGGER icon_changed AFTER UPDATE OF icon_id ON sites WHEN new.icon_id IS NOT old.icon_id
BEGIN
	UPDATE icons SET unused_since = NULL WHERE id = new.icon_id;
	UPDATE icons SET unused_since = CAST(unixepoch('subsec') * 1000 AS INTEGER)
		WHERE id = old.icon_id AND NOT EXISTS (SELECT 1 FROM sites WHERE icon_id = old.icon_id);
END;
--> statement-breakpoint
CREATE TRIGGER icon_left AFTER DELETE ON sites WHEN old.icon_id IS NOT NULL
BEGIN
	UPDATE icons SET unused_since = CAST(unixepoch('subsec') * 1000 AS INTEGER)
		WHERE id = old.icon_id AND NOT EXISTS (SELECT 1 FROM sites WHERE icon_id = old.icon_id);
END;
--> statement-breakpoint
-- == Links of bundles that somebody owns. ==
-- A bundle with a link that is broken or has moved is told of it, also if it is new.
CREATE TRIGGER link_is_used AFTER INSERT ON bundle_links
BEGIN
	UPDATE checked_links SET unused_since = NULL, told_up_to = CASE WHEN state IN ('moved', 'broken') THEN 0 END WHERE id = new.link_id;
END;
--> statement-breakpoint
-- What was never looked at, or has no owner, is no finding.
CREATE TRIGGER link_is_unused AFTER DELETE ON bundle_links WHEN NOT EXISTS (SELECT 1 FROM bundle_links WHERE link_id = old.link_id)
BEGIN
	UPDATE checked_links SET due_at = NULL, told_up_to = NULL, unused_since = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE id = old.link_id;
	DELETE FROM checked_links WHERE id = old.link_id AND (state = 'unknown' OR NOT EXISTS (SELECT 1 FROM owners WHERE id = owner_id));
END;
--> statement-breakpoint
-- == A host without a link to look at is forgotten at once: kept, edits could leave any number of them behind. One that is being
-- looked at is forgotten by the process that does. ==
CREATE TRIGGER host_is_unused AFTER UPDATE OF due_at ON checked_links WHEN new.due_at IS NULL AND old.due_at IS NOT NULL
BEGIN
	DELETE FROM checked_hosts WHERE host = new.host AND lease IS NULL
		AND NOT EXISTS (SELECT 1 FROM checked_links WHERE host = new.host AND due_at IS NOT NULL);
END;
--> statement-breakpoint
CREATE TRIGGER host_is_gone AFTER DELETE ON checked_links WHEN old.due_at IS NOT NULL
BEGIN
	DELETE FROM checked_hosts WHERE host = old.host AND lease IS NULL
		AND NOT EXISTS (SELECT 1 FROM checked_links WHERE host = old.host AND due_at IS NOT NULL);
END;
--> statement-breakpoint
-- == The log: what happens is inserted into the view happened, by triggers, so that no way of changing something can miss it.
-- It names the owner by owner_id, user_id or organization_id; self is who must have done it, if only one person can have. ==
CREATE VIEW happened AS SELECT NULL AS owner_id, NULL AS user_id, NULL AS organization_id, NULL AS type, NULL AS bundle_id, NULL AS target,
	NULL AS version_number, NULL AS changes, NULL AS at, NULL AS self WHERE false;
--> statement-breakpoint
-- What is deleted with its owner is not logged: nobody could read it.
CREATE TRIGGER it_is_logged INSTEAD OF INSERT ON happened
BEGIN
	INSERT INTO owners (user_id) SELECT id FROM user WHERE id = new.user_id AND NOT EXISTS (SELECT 1 FROM owners WHERE user_id = new.user_id);
	INSERT INTO owners (organization_id) SELECT id FROM organization
		WHERE id = new.organization_id AND NOT EXISTS (SELECT 1 FROM owners WHERE organization_id = new.organization_id);
	INSERT INTO events (public_id, owner_id, kind, type, actor_type, actor_user_id, actor_key_id, bundle_id, target, version_number, changes,
			nth, at, expires_at)
		SELECT 'evt_' || lower(hex(randomblob(12))), owners.id, substr(new.type, 1, instr(new.type, '.') - 1), new.type,
			CASE WHEN new.self IS NOT NULL AND acting.type IS NOT 'provider' THEN 'user' ELSE coalesce(acting.type, 'service') END,
			CASE WHEN new.self IS NOT NULL AND acting.type IS NOT 'provider' THEN new.self ELSE acting.user_id END,
			CASE WHEN new.self IS NULL THEN acting.key_id END,
			new.bundle_id, new.target, new.version_number, new.changes,
			1 + coalesce((SELECT nth FROM events WHERE owner_id = owners.id AND kind = substr(new.type, 1, instr(new.type, '.') - 1)
				ORDER BY id DESC LIMIT 1), 0),
			coalesce(new.at, CAST(unixepoch('subsec') * 1000 AS INTEGER)),
			coalesce(new.at, CAST(unixepoch('subsec') * 1000 AS INTEGER)) + CASE WHEN owners.user_id IS NULL THEN 400 ELSE 90 END * 86400000
		FROM owners LEFT JOIN acting ON acting.id = 1
		WHERE owners.id = coalesce(new.owner_id, (SELECT id FROM owners WHERE user_id = new.user_id),
			(SELECT id FROM owners WHERE organization_id = new.organization_id));
END;
--> statement-breakpoint
-- Two for each that is added, so that there is never much to delete at once after a plan has ended.
CREATE TRIGGER oldest_events_go AFTER INSERT ON events WHEN new.nth > 2000
BEGIN
	DELETE FROM events WHERE id IN (SELECT id FROM events WHERE owner_id = new.owner_id AND kind = new.kind ORDER BY id LIMIT 2)
		AND nth <= new.nth - (SELECT CASE plan WHEN 'pro' THEN 10000 ELSE 2000 END FROM owners WHERE id = new.owner_id);
END;
--> statement-breakpoint
CREATE TRIGGER owner_is_gone AFTER DELETE ON owners WHEN EXISTS (SELECT 1 FROM events WHERE owner_id = old.id)
BEGIN
	INSERT OR IGNORE INTO gone_owners (id, at) VALUES (old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
-- In the log of a former owner nothing is left of a bundle that is erased. Its last owner's go with that owner, or the sweep was there.
CREATE TRIGGER events_outlive_bundle AFTER DELETE ON bundles
BEGIN
	UPDATE events SET bundle_id = NULL, changes = NULL WHERE bundle_id = old.id AND owner_id IS NOT old.owner_id;
END;
--> statement-breakpoint
-- What others' logs have of a person goes with their account.
CREATE TRIGGER events_forget_person AFTER DELETE ON user
BEGIN
	UPDATE events SET actor_user_id = NULL WHERE actor_user_id = old.id;
	UPDATE events SET target = NULL WHERE target = old.id;
END;
--> statement-breakpoint
-- == Logged of bundles and proposals ==
CREATE TRIGGER bundle_is_created AFTER INSERT ON bundles WHEN new.owner_id IS NOT NULL
BEGIN
	INSERT INTO happened (owner_id, type, bundle_id, version_number, at) VALUES (new.owner_id, 'bundle.created', new.id, new.version_number, new.created_at);
END;
--> statement-breakpoint
CREATE TRIGGER bundle_is_updated AFTER UPDATE OF version_number ON bundles WHEN new.version_number <> old.version_number
BEGIN
	INSERT INTO happened (owner_id, type, bundle_id, version_number, changes, at)
		VALUES (new.owner_id, 'bundle.updated', new.id, new.version_number, (SELECT changes FROM acting), new.updated_at);
END;
--> statement-breakpoint
CREATE TRIGGER bundle_is_deleted AFTER UPDATE OF deleted_at ON bundles WHEN (new.deleted_at IS NULL) <> (old.deleted_at IS NULL)
BEGIN
	INSERT INTO happened (owner_id, type, bundle_id, version_number, at)
		VALUES (new.owner_id, CASE WHEN new.deleted_at IS NULL THEN 'bundle.restored' ELSE 'bundle.deleted' END, new.id, new.version_number, new.deleted_at);
END;
--> statement-breakpoint
CREATE TRIGGER bundle_is_claimed AFTER UPDATE OF owner_id ON bundles WHEN old.owner_id IS NULL AND new.owner_id IS NOT NULL
BEGIN
	INSERT INTO happened (owner_id, type, bundle_id, version_number) VALUES (new.owner_id, 'bundle.claimed', new.id, new.version_number);
END;
--> statement-breakpoint
-- Both owners are told whom it moved to, and keep being told the same when it moves on.
CREATE TRIGGER bundle_is_transferred AFTER UPDATE OF owner_id ON bundles WHEN old.owner_id IS NOT NULL AND new.owner_id <> old.owner_id
BEGIN
	INSERT INTO happened (owner_id, type, bundle_id, version_number) VALUES (old.owner_id, 'bundle.transferred', new.id, new.version_number);
	INSERT INTO happened (owner_id, type, bundle_id, version_number) VALUES (new.owner_id, 'bundle.transferred', new.id, new.version_number);
	UPDATE outbox SET receiver_id = new.owner_id WHERE bundle_id = new.id AND event = 'bundle.transferred' AND receiver_id IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER proposal_is_opened AFTER INSERT ON proposals
BEGIN
	INSERT INTO happened (owner_id, type, bundle_id, target, at) VALUES (new.owner_id, 'proposal.opened', new.bundle_id, new.id, new.created_at);
END;
--> statement-breakpoint
CREATE TRIGGER proposal_is_decided AFTER UPDATE OF state ON proposals WHEN old.state = 'open' AND new.state <> 'open'
BEGIN
	INSERT INTO happened (owner_id, type, bundle_id, target, at)
		VALUES (new.owner_id, 'proposal.' || new.state, new.bundle_id, new.id, new.decided_at);
END;
--> statement-breakpoint
-- == Logged of keys and apps ==
-- A rotation is one event: the key in a rotated one's place, which names it by now, is not logged as created too.
CREATE TRIGGER key_is_created AFTER INSERT ON api_keys
	WHEN NOT EXISTS (SELECT 1 FROM api_keys WHERE owner_id = new.owner_id AND replaced_by = new.id)
BEGIN
	INSERT INTO happened (owner_id, type, target, changes, at) VALUES (new.owner_id, 'key.created', new.id,
		json_array(json_object('field', 'name', 'to', new.name), json_object('field', 'scopes', 'to', json(new.scopes))), new.created_at);
END;
--> statement-breakpoint
-- The key of an app is no key that somebody made, and the app has it only once it has collected it.
CREATE TRIGGER key_is_of_app AFTER INSERT ON app_grants
BEGIN
	DELETE FROM events WHERE owner_id = (SELECT owner_id FROM api_keys WHERE id = new.key_id) AND target = new.key_id AND type = 'key.created';
END;
--> statement-breakpoint
CREATE TRIGGER app_is_connected AFTER UPDATE OF code_used_at ON app_grants WHEN old.code_used_at IS NULL AND new.code_used_at IS NOT NULL
BEGIN
	INSERT INTO happened (owner_id, type, target, changes, at, self) SELECT owner_id, 'app.connected', id,
		json_array(json_object('field', 'name', 'to', name), json_object('field', 'scopes', 'to', json(new.scopes))), new.code_used_at, minted_by
		FROM api_keys WHERE id = new.key_id;
END;
--> statement-breakpoint
CREATE TRIGGER key_is_revoked AFTER UPDATE OF revoked_at ON api_keys WHEN old.revoked_at IS NULL AND new.revoked_at IS NOT NULL
	AND NOT EXISTS (SELECT 1 FROM app_grants WHERE key_id = new.id AND code_used_at IS NULL)
BEGIN
	INSERT INTO happened (owner_id, type, target, at) VALUES (new.owner_id,
		CASE WHEN EXISTS (SELECT 1 FROM app_grants WHERE key_id = new.id) THEN 'app.disconnected' ELSE 'key.revoked' END, new.id, new.revoked_at);
END;
--> statement-breakpoint
CREATE TRIGGER key_is_rotated AFTER UPDATE OF replaced_by ON api_keys WHEN old.replaced_by IS NULL AND new.replaced_by IS NOT NULL
BEGIN
	INSERT INTO happened (owner_id, type, target, changes, at) VALUES (new.owner_id, 'key.rotated', new.id,
		json_array(json_object('field', 'replacedBy', 'to', new.replaced_by)), CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
-- == Logged of webhooks, whose addresses may be secret ==
CREATE TRIGGER webhook_is_created AFTER INSERT ON webhooks
BEGIN
	INSERT INTO happened (owner_id, type, target, changes, at) VALUES (new.owner_id, 'webhook.created', new.id,
		json_array(json_object('field', 'url'), json_object('field', 'events', 'to', json(new.events))), new.created_at);
END;
--> statement-breakpoint
CREATE TRIGGER webhook_is_updated AFTER UPDATE OF url, events, disabled_at ON webhooks
	WHEN new.url <> old.url OR new.events <> old.events OR (new.disabled_at IS NULL) <> (old.disabled_at IS NULL)
BEGIN
	INSERT INTO happened (owner_id, type, target, changes) SELECT new.owner_id, 'webhook.updated', new.id, json_group_array(json(change)) FROM (
		SELECT json_object('field', 'url') AS change WHERE new.url <> old.url
		UNION ALL SELECT json_object('field', 'events', 'from', json(old.events), 'to', json(new.events)) WHERE new.events <> old.events
		UNION ALL SELECT json_object('field', 'enabled', 'from', json(CASE WHEN old.disabled_at IS NULL THEN 'true' ELSE 'false' END),
			'to', json(CASE WHEN new.disabled_at IS NULL THEN 'true' ELSE 'false' END)) WHERE (new.disabled_at IS NULL) <> (old.disabled_at IS NULL));
END;
--> statement-breakpoint
CREATE TRIGGER webhook_is_rotated AFTER UPDATE OF secret ON webhooks WHEN new.secret <> old.secret
BEGIN
	INSERT INTO happened (owner_id, type, target) VALUES (new.owner_id, 'webhook.rotated', new.id);
END;
--> statement-breakpoint
CREATE TRIGGER webhook_is_deleted AFTER DELETE ON webhooks
BEGIN
	INSERT INTO happened (owner_id, type, target) VALUES (old.owner_id, 'webhook.deleted', old.id);
END;
--> statement-breakpoint
-- == Logged of members and organisations ==
CREATE TRIGGER member_is_invited AFTER INSERT ON invitation
BEGIN
	INSERT INTO happened (organization_id, type, target, changes)
		VALUES (new.organization_id, 'member.invited', new.id, json_array(json_object('field', 'role', 'to', new.role)));
END;
--> statement-breakpoint
CREATE TRIGGER member_is_invited_again AFTER UPDATE OF expires_at ON invitation WHEN new.expires_at > old.expires_at
BEGIN
	INSERT INTO happened (organization_id, type, target, changes)
		VALUES (new.organization_id, 'member.invited', new.id, json_array(json_object('field', 'role', 'to', new.role)));
END;
--> statement-breakpoint
CREATE TRIGGER member_joins AFTER INSERT ON member
BEGIN
	INSERT INTO happened (organization_id, type, target, changes)
		VALUES (new.organization_id, 'member.joined', new.user_id, json_array(json_object('field', 'role', 'to', new.role)));
END;
--> statement-breakpoint
CREATE TRIGGER member_changes_role AFTER UPDATE OF role ON member WHEN new.role <> old.role
BEGIN
	INSERT INTO happened (organization_id, type, target, changes) VALUES (new.organization_id, 'member.role_changed', new.user_id,
		json_array(json_object('field', 'role', 'from', old.role, 'to', new.role)));
END;
--> statement-breakpoint
CREATE TRIGGER member_is_removed AFTER DELETE ON member
BEGIN
	INSERT INTO happened (organization_id, type, target, changes) VALUES (old.organization_id,
		CASE WHEN EXISTS (SELECT 1 FROM user WHERE id = old.user_id) THEN 'member.removed' ELSE 'account.deleted' END,
		old.user_id, json_array(json_object('field', 'role', 'from', old.role)));
END;
--> statement-breakpoint
CREATE TRIGGER organization_is_created AFTER INSERT ON organization
BEGIN
	INSERT INTO happened (organization_id, type, target, changes)
		VALUES (new.id, 'organization.created', new.id, json_array(json_object('field', 'name', 'to', new.name)));
END;
--> statement-breakpoint
CREATE TRIGGER organization_is_updated AFTER UPDATE OF name, slug, logo, metadata ON organization
	WHEN new.name <> old.name OR new.slug <> old.slug OR new.logo IS NOT old.logo OR new.metadata IS NOT old.metadata
BEGIN
	INSERT INTO happened (organization_id, type, target, changes) SELECT new.id, 'organization.updated', new.id, json_group_array(json(change)) FROM (
		SELECT json_object('field', 'name', 'from', old.name, 'to', new.name) AS change WHERE new.name <> old.name
		UNION ALL SELECT json_object('field', 'slug') WHERE new.slug <> old.slug
		UNION ALL SELECT json_object('field', 'logo') WHERE new.logo IS NOT old.logo
		UNION ALL SELECT json_object('field', 'metadata') WHERE new.metadata IS NOT old.metadata);
END;
--> statement-breakpoint
-- Whether links are checked is kept with the owner. An admin's choice is one for all members, so it is in their log.
CREATE TRIGGER organization_checks_are_switched AFTER UPDATE OF check_links ON owners
	WHEN new.organization_id IS NOT NULL AND new.check_links <> old.check_links
BEGIN
	INSERT INTO happened (organization_id, type, target, changes) VALUES (new.organization_id, 'organization.updated', new.organization_id,
		json_array(json_object('field', 'checkLinks', 'from', json(iif(old.check_links, 'true', 'false')), 'to', json(iif(new.check_links, 'true', 'false')))));
END;
--> statement-breakpoint
-- Its own log goes with it: its admins have this in theirs, and who deleted it, for better-auth deletes memberships first.
CREATE TRIGGER organization_is_deleted BEFORE DELETE ON organization
BEGIN
	INSERT INTO happened (user_id, type, target, changes)
		SELECT user_id, 'organization.deleted', old.id, json_array(json_object('field', 'name', 'from', old.name))
		FROM (SELECT user_id FROM member WHERE organization_id = old.id AND role = 'admin' UNION SELECT user_id FROM acting WHERE user_id IS NOT NULL);
END;
--> statement-breakpoint
-- == Logged of accounts ==
CREATE TRIGGER account_signs_in AFTER INSERT ON session
BEGIN
	INSERT INTO happened (user_id, type, target, self) VALUES (new.user_id, 'account.signed_in', new.user_id, new.user_id);
END;
--> statement-breakpoint
CREATE TRIGGER password_is_set AFTER INSERT ON account WHEN new.password IS NOT NULL
BEGIN
	INSERT INTO happened (user_id, type, target, self) VALUES (new.user_id, 'account.password_changed', new.user_id, new.user_id);
END;
--> statement-breakpoint
CREATE TRIGGER password_is_changed AFTER UPDATE OF password ON account WHEN new.password IS NOT old.password
BEGIN
	INSERT INTO happened (user_id, type, target, self) VALUES (new.user_id, 'account.password_changed', new.user_id, new.user_id);
END;
--> statement-breakpoint
CREATE TRIGGER email_is_changed AFTER UPDATE OF email ON user WHEN new.email <> old.email
BEGIN
	INSERT INTO happened (user_id, type, target, self) VALUES (new.id, 'account.email_changed', new.id, new.id);
END;
--> statement-breakpoint
-- == Webhooks: an event of a bundle or a proposal goes from the log to the outbox of each webhook that wants it. ==
-- Due at once, unless an earlier event of the bundle is still to be sent. A star is all events that webhooks are told of.
CREATE TRIGGER event_goes_out AFTER INSERT ON events WHEN new.kind IN ('bundle', 'proposal') AND new.type <> 'proposal.withdrawn'
BEGIN
	INSERT INTO outbox (webhook_id, bundle_id, proposal_id, message_id, event, version_number, at, due_at, event_id)
	SELECT id, new.bundle_id, new.target, 'msg_' || lower(hex(randomblob(16))), new.type, new.version_number, new.at,
		CASE WHEN NOT EXISTS (SELECT 1 FROM outbox WHERE webhook_id = webhooks.id AND bundle_id = new.bundle_id AND sent_at IS NULL) THEN new.at END,
		new.id
	FROM webhooks
	WHERE owner_id = new.owner_id AND disabled_at IS NULL AND EXISTS (SELECT 1 FROM json_each(webhooks.events) WHERE value IN (new.type, '*'));
END;
--> statement-breakpoint
-- The next event of a bundle becomes due with the end of the one before.
CREATE TRIGGER event_is_sent AFTER UPDATE OF sent_at ON outbox WHEN old.sent_at IS NULL AND new.sent_at IS NOT NULL
BEGIN
	UPDATE outbox SET due_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
	WHERE id = (SELECT min(id) FROM outbox WHERE webhook_id = new.webhook_id AND bundle_id = new.bundle_id AND sent_at IS NULL)
		AND due_at IS NULL AND EXISTS (SELECT 1 FROM webhooks WHERE id = new.webhook_id AND disabled_at IS NULL);
END;
--> statement-breakpoint
CREATE TRIGGER event_is_dropped AFTER DELETE ON outbox WHEN old.sent_at IS NULL AND EXISTS (SELECT 1 FROM webhooks WHERE id = old.webhook_id AND disabled_at IS NULL)
BEGIN
	UPDATE outbox SET due_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
	WHERE id = (SELECT min(id) FROM outbox WHERE webhook_id = old.webhook_id AND bundle_id = old.bundle_id AND sent_at IS NULL)
		AND due_at IS NULL;
END;
--> statement-breakpoint
-- Bounds of a webhook: 10 000 events that wait. Its owner sees that some were dropped.
CREATE TRIGGER oldest_waiting_go AFTER INSERT ON outbox WHEN new.sent_at IS NULL
	AND (SELECT id FROM outbox WHERE webhook_id = new.webhook_id AND sent_at IS NULL LIMIT 1 OFFSET 10000) IS NOT NULL
BEGIN
	UPDATE webhooks SET dropped_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE id = new.webhook_id;
	DELETE FROM outbox WHERE id = (SELECT id FROM outbox WHERE webhook_id = new.webhook_id AND sent_at IS NULL ORDER BY id LIMIT 1);
END;
--> statement-breakpoint
-- And 1000 that were sent.
CREATE TRIGGER oldest_finished_go AFTER UPDATE OF sent_at ON outbox WHEN old.sent_at IS NULL AND new.sent_at IS NOT NULL
	AND (SELECT id FROM outbox WHERE webhook_id = new.webhook_id AND sent_at IS NOT NULL LIMIT 1 OFFSET 1000) IS NOT NULL
BEGIN
	DELETE FROM outbox WHERE id = (SELECT id FROM outbox WHERE webhook_id = new.webhook_id AND sent_at IS NOT NULL ORDER BY id LIMIT 1);
END;
--> statement-breakpoint
-- There may be too many events to delete them with their webhook: the sweep does.
CREATE TRIGGER webhook_is_gone AFTER DELETE ON webhooks WHEN EXISTS (SELECT 1 FROM outbox WHERE webhook_id = old.id)
BEGIN
	INSERT OR IGNORE INTO gone_webhooks (id, at) VALUES (old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
-- Two for each that is added, so that nobody's events grow by making webhooks and deleting them faster than the sweep erases.
CREATE TRIGGER gone_events_go AFTER INSERT ON outbox WHEN EXISTS (SELECT 1 FROM gone_webhooks)
BEGIN
	DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE webhook_id = (SELECT id FROM gone_webhooks ORDER BY at LIMIT 1) LIMIT 2);
	DELETE FROM gone_webhooks WHERE id = (SELECT id FROM gone_webhooks ORDER BY at LIMIT 1)
		AND NOT EXISTS (SELECT 1 FROM outbox WHERE webhook_id = gone_webhooks.id);
END;
--> statement-breakpoint
-- == What ends with an account, a membership, a role or a key, and what a person may have at most. ==
-- Nobody is left to answer for an open proposal of a deleted account, and a decided one keeps nothing personal.
CREATE TRIGGER proposals_of_account BEFORE DELETE ON user
BEGIN
	DELETE FROM proposals WHERE proposed_by = old.id AND state = 'open';
	UPDATE proposals SET reason = NULL WHERE proposed_by = old.id;
END;
--> statement-breakpoint
-- A key of a member who left stays dead, even if they return.
CREATE TRIGGER member_left AFTER DELETE ON member
BEGIN
	UPDATE api_keys SET minter_left_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
		WHERE minted_by = old.user_id AND minter_left_at IS NULL AND owner_id = (SELECT id FROM owners WHERE organization_id = old.organization_id);
	UPDATE invitation SET status = 'canceled' WHERE organization_id = old.organization_id AND inviter_id = old.user_id AND status = 'pending';
END;
--> statement-breakpoint
CREATE TRIGGER member_demoted AFTER UPDATE OF role ON member WHEN old.role = 'admin' AND new.role <> 'admin'
BEGIN
	UPDATE invitation SET status = 'canceled' WHERE organization_id = old.organization_id AND inviter_id = old.user_id AND status = 'pending';
END;
--> statement-breakpoint
CREATE TRIGGER pins_of_former_member AFTER DELETE ON member
BEGIN
	DELETE FROM pins WHERE user_id = old.user_id AND old.organization_id = (
		SELECT owners.organization_id FROM bundles JOIN owners ON owners.id = bundles.owner_id WHERE bundles.id = pins.bundle_id);
END;
--> statement-breakpoint
-- A pin ends with the right to read its bundle, so that it neither counts nor comes back. Whoever may read a bundle that
-- moves keeps theirs.
CREATE TRIGGER pins_change_hands AFTER UPDATE OF owner_id ON bundles WHEN old.owner_id IS NOT NULL AND new.owner_id IS NOT old.owner_id
BEGIN
	DELETE FROM pins WHERE bundle_id = new.id AND NOT EXISTS (
		SELECT 1 FROM owners LEFT JOIN member ON member.organization_id = owners.organization_id AND member.user_id = pins.user_id
		WHERE owners.id = new.owner_id AND pins.user_id IN (owners.user_id, member.user_id));
END;
--> statement-breakpoint
-- They may have been demoted since better-auth looked.
CREATE TRIGGER invitation_by_admin BEFORE INSERT ON invitation
	WHEN NOT EXISTS (SELECT 1 FROM member WHERE organization_id = new.organization_id AND user_id = new.inviter_id AND role = 'admin')
BEGIN
	SELECT RAISE(ABORT, 'invitation needs an admin');
END;
--> statement-breakpoint
CREATE TRIGGER tokens_end AFTER UPDATE OF revoked_at ON api_keys WHEN old.revoked_at IS NULL AND new.revoked_at IS NOT NULL
BEGIN
	DELETE FROM app_refresh_tokens WHERE key_id = new.id;
END;
--> statement-breakpoint
CREATE TRIGGER oldest_sessions_go AFTER INSERT ON session
BEGIN
	DELETE FROM session WHERE user_id = new.user_id
		AND id NOT IN (SELECT id FROM session WHERE user_id = new.user_id ORDER BY created_at DESC, rowid DESC LIMIT 100);
END;
--> statement-breakpoint
-- Of those that are over.
CREATE TRIGGER oldest_invitations_go AFTER INSERT ON invitation
BEGIN
	DELETE FROM invitation WHERE id IN (SELECT id FROM invitation WHERE organization_id = new.organization_id
		AND (status <> 'pending' OR expires_at < CAST(unixepoch('subsec') * 1000 AS INTEGER)) ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET 100);
END;
--> statement-breakpoint
-- == Viewers of a bundle that is gone: earlier days end by themselves. ==
CREATE TRIGGER viewer_hashes_gone AFTER DELETE ON bundles
BEGIN
	DELETE FROM viewer_hashes WHERE day = (SELECT max(day) FROM viewer_hashes) AND bundle_id = old.id;
END;
--> statement-breakpoint
-- == The operator's log: a thousand of the newest are kept. ==
CREATE TRIGGER operator_log_is_bounded AFTER INSERT ON operator_log
BEGIN
	DELETE FROM operator_log WHERE id <= new.id - 1000;
END;
--> statement-breakpoint
-- == Which database this is: made here, so that every database has it from its first moment. A copy has the same, another
-- database has another. ==
INSERT INTO instance (row, id, created_at) VALUES (1, lower(hex(randomblob(16))), CAST(unixepoch('subsec') * 1000 AS INTEGER));
