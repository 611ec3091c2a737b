-- What drizzle cannot express: triggers, grouped by what they keep true however a row is changed, and the full-text index.
-- A table that is made anew by a later migration needs its triggers again.

-- == Launchers that other processes have in memory: each change of a bundle is told to them. ==
-- Save what the sweep notes and erases, which nobody sees; a claim erases it too.
CREATE TRIGGER bundle_changed AFTER UPDATE ON bundles
	WHEN (new.viewed_at IS old.viewed_at AND new.address_hash IS old.address_hash) OR new.owner_id IS NOT old.owner_id
BEGIN
	INSERT INTO bundle_changes (slug, at) VALUES (new.slug, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
CREATE TRIGGER bundle_gone AFTER DELETE ON bundles
BEGIN
	INSERT INTO bundle_changes (slug, at) VALUES (old.slug, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
CREATE TRIGGER bundle_blocked AFTER INSERT ON blocked_bundles
BEGIN
	INSERT INTO bundle_changes (slug, at) SELECT slug, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM bundles WHERE id = new.bundle_id;
END;
--> statement-breakpoint
CREATE TRIGGER bundle_unblocked AFTER DELETE ON blocked_bundles
BEGIN
	INSERT INTO bundle_changes (slug, at) SELECT slug, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM bundles WHERE id = old.bundle_id;
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
	DELETE FROM version_parts WHERE id IN (old.urls_part, old.url_metadata_part, old.description_part, old.resolution_policy_part)
		AND NOT EXISTS (SELECT 1 FROM bundle_versions WHERE urls_part = version_parts.id)
		AND NOT EXISTS (SELECT 1 FROM bundle_versions WHERE url_metadata_part = version_parts.id)
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
-- == Search: bundle_index follows bundle_search, by way of search_pending, for bundles that somebody owns. ==
-- ON CONFLICT, because the policy of the statement that fires a trigger takes precedence over an OR IGNORE in it.
-- Double quotes, because a dump made by sqld does not escape single ones.
CREATE VIRTUAL TABLE bundle_index USING fts5(owner, text, content = "", contentless_delete = 1, detail = none, tokenize = "trigram case_sensitive 1");
--> statement-breakpoint
INSERT INTO search_erasure (id, erased_at, rewritten_for) VALUES (1, 0, 0);
--> statement-breakpoint
CREATE TRIGGER search_begins AFTER INSERT ON bundle_search
BEGIN
	INSERT INTO search_pending SELECT owner_id, id FROM bundles WHERE id = new.bundle_id AND owner_id IS NOT NULL ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER search_outdated AFTER UPDATE ON bundle_search
BEGIN
	INSERT INTO search_pending SELECT owner_id, id FROM bundles WHERE id = new.bundle_id AND owner_id IS NOT NULL ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER search_changes_hands AFTER UPDATE OF owner_id ON bundles WHEN new.owner_id IS NOT old.owner_id
BEGIN
	INSERT INTO search_pending SELECT old.owner_id, old.id WHERE old.owner_id IS NOT NULL ON CONFLICT DO NOTHING;
	INSERT INTO search_pending SELECT new.owner_id, new.id WHERE new.owner_id IS NOT NULL ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER search_gone AFTER DELETE ON bundles WHEN old.owner_id IS NOT NULL
BEGIN
	INSERT INTO search_pending VALUES (old.owner_id, old.id) ON CONFLICT DO NOTHING;
	UPDATE search_erasure SET erased_at = CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
-- == Webhooks: what happens to a bundle or a proposal is inserted into the view bundle_events, from which it goes to the
-- outbox of each webhook that wants it. ==
CREATE VIEW bundle_events AS SELECT NULL AS bundle_id, NULL AS owner_id, NULL AS event, NULL AS version_number, NULL AS proposal_id, NULL AS at WHERE false;
--> statement-breakpoint
-- Due at once, unless an earlier event of the bundle is still to be sent.
CREATE TRIGGER event_goes_out INSTEAD OF INSERT ON bundle_events
BEGIN
	INSERT INTO outbox (webhook_id, bundle_id, proposal_id, message_id, event, version_number, at, due_at)
	SELECT id, new.bundle_id, new.proposal_id, 'msg_' || lower(hex(randomblob(16))), new.event, new.version_number, new.at,
		CASE WHEN NOT EXISTS (SELECT 1 FROM outbox WHERE webhook_id = webhooks.id AND bundle_id = new.bundle_id AND sent_at IS NULL) THEN new.at END
	FROM webhooks
	WHERE owner_id = new.owner_id AND disabled_at IS NULL AND EXISTS (SELECT 1 FROM json_each(webhooks.events) WHERE value = new.event);
END;
--> statement-breakpoint
CREATE TRIGGER bundle_is_created AFTER INSERT ON bundles WHEN new.owner_id IS NOT NULL
BEGIN
	INSERT INTO bundle_events VALUES (new.id, new.owner_id, 'bundle.created', new.version_number, NULL, new.created_at);
END;
--> statement-breakpoint
CREATE TRIGGER bundle_is_updated AFTER UPDATE OF version_number ON bundles WHEN new.version_number <> old.version_number
BEGIN
	INSERT INTO bundle_events VALUES (new.id, new.owner_id, 'bundle.updated', new.version_number, NULL, new.updated_at);
END;
--> statement-breakpoint
CREATE TRIGGER bundle_is_deleted AFTER UPDATE OF deleted_at ON bundles WHEN (new.deleted_at IS NULL) <> (old.deleted_at IS NULL)
BEGIN
	INSERT INTO bundle_events VALUES (new.id, new.owner_id, CASE WHEN new.deleted_at IS NULL THEN 'bundle.restored' ELSE 'bundle.deleted' END,
		new.version_number, NULL, coalesce(new.deleted_at, CAST(unixepoch('subsec') * 1000 AS INTEGER)));
END;
--> statement-breakpoint
CREATE TRIGGER bundle_is_claimed AFTER UPDATE OF owner_id ON bundles WHEN old.owner_id IS NULL AND new.owner_id IS NOT NULL
BEGIN
	INSERT INTO bundle_events VALUES (new.id, new.owner_id, 'bundle.claimed', new.version_number, NULL, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
CREATE TRIGGER proposal_is_opened AFTER INSERT ON proposals
BEGIN
	INSERT INTO bundle_events VALUES (new.bundle_id, new.owner_id, 'proposal.opened', NULL, new.id, new.created_at);
END;
--> statement-breakpoint
CREATE TRIGGER proposal_is_decided AFTER UPDATE OF state ON proposals WHEN old.state = 'open' AND new.state IN ('accepted', 'rejected')
BEGIN
	INSERT INTO bundle_events VALUES (new.bundle_id, new.owner_id, 'proposal.' || new.state, NULL, new.id, new.decided_at);
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
-- Bounds of a webhook: 10 000 events that wait, and 1000 that were sent.
CREATE TRIGGER oldest_waiting_go AFTER INSERT ON outbox WHEN new.sent_at IS NULL
	AND (SELECT id FROM outbox WHERE webhook_id = new.webhook_id AND sent_at IS NULL LIMIT 1 OFFSET 10000) IS NOT NULL
BEGIN
	DELETE FROM outbox WHERE id = (SELECT id FROM outbox WHERE webhook_id = new.webhook_id AND sent_at IS NULL ORDER BY id LIMIT 1);
END;
--> statement-breakpoint
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
